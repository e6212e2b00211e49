import {
  type AttemptResult,
  type DeliveryError,
  FAILURES,
  type FailureCode,
  failureOf,
} from '../../contract/delivery-record.ts';
import { EVENT_RETRY_DELAYS_SECONDS } from '../../contract/limits.ts';
import type { Outcome } from '../context.ts';

/** Which response is a success, and which failure is tried again (spec "Outbound delivery outcomes", docs/delivery.md). */

/** Returns the outcome of a response. @param problem with its body; null when the body is whole. @param location where a redirect leads */
export function responded(
  status: number,
  body: Uint8Array,
  problem: DeliveryError | null,
  location?: string,
): Omit<Outcome, 'latency_ms'> {
  const failure = failureOfStatus(status, location);
  if (failure === null) return { status, body, success: true, error: problem };
  const message = problem === null ? failure.message : `${failure.message}. ${problem.message}`;
  return { status, body, success: false, error: { code: failure.code, message } };
}

/** Returns why a status is a failure; null for a 2xx. */
function failureOfStatus(status: number, location: string | undefined): DeliveryError | null {
  if (status < 300) return null;
  if (status < 400) {
    const to = location === undefined ? '' : ` to ${shortened(location)}`;
    return {
      code: 'redirect',
      message: `The endpoint sent a redirect (status ${status})${to}; redirects are not followed`,
    };
  }
  return { code: 'http_status', message: `The endpoint responded with status ${status}` };
}

/** Returns the address of a redirect without its query, which may have a secret, and without what could forge a line. */
const shortened = (location: string) => location.replace(/[?#].*|[^\x21-\x7e]/gs, '').slice(0, 200);

/** Returns the outcome of an attempt without a usable response. @param status that the peer sent, when it is not valid in HTTP */
export function unanswered({ code, message }: DeliveryError, status: number | null = null): Outcome {
  return { status, body: new Uint8Array(), latency_ms: 0, success: false, error: { code, message } };
}

/** Returns the seconds until the attempt that follows an ended one of an Event delivery; undefined when none follows. */
export function retryDelay(
  attempt: number,
  result: Pick<AttemptResult, 'success' | 'status' | 'error'>,
): number | undefined {
  const failure = failureOf(result);
  return failure !== undefined && isRetried(failure, result.status)
    ? EVENT_RETRY_DELAYS_SECONDS[attempt - 1]
    : undefined;
}

/** Returns whether an Event delivery is retried after this failure. */
export function isRetried(code: FailureCode, status: number | null): boolean {
  if (code === 'http_status') return status === 408 || status === 429 || (status ?? 0) >= 500;
  return FAILURES[code].retried;
}
