import type { FailureCode } from '../../contract/deliveries.ts';
import { EVENT_RETRY_DELAYS_SECONDS } from '../../contract/limits.ts';

/** Returns whether an Event delivery is retried after this failure (spec "Outbound delivery outcomes", docs/delivery.md). */
export function isRetried(failure: { readonly code: FailureCode; readonly status: number | null }): boolean {
  switch (failure.code) {
    case 'timeout':
    case 'dns_failure':
    case 'connect_failure':
    case 'tls_failure':
    case 'connection_closed':
    case 'response_malformed':
      return true;
    case 'http_status':
      return failure.status === 408 || failure.status === 429 || (failure.status ?? 0) >= 500;
    case 'invalid_url':
    case 'blocked_address':
    case 'redirect':
    case 'action_disabled':
    case 'action_deleted':
    case 'organization_suspended':
    case 'quota_exceeded':
    case 'too_many_in_flight':
    case 'payload_too_large':
    case 'internal_error':
      return false;
  }
}

/** Returns the delay in seconds before the attempt that follows `attempt`; undefined when that was the last attempt. */
export function retryDelaySeconds(attempt: number): number | undefined {
  return EVENT_RETRY_DELAYS_SECONDS[attempt - 1];
}
