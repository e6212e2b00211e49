import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';

/** A record of the delivery log: the first attempt of an event, which the endpoint accepted. */
export function attempt(changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    action_id: 'act_x',
    reference: 'event-1',
    trigger: 'event',
    trigger_ref: 'conversation.started',
    attempt: 1,
    replay: null,
    started_at: '2026-03-04T05:06:07.250Z',
    event_time: '2026-03-04T05:06:00Z',
    state: 'succeeded',
    payload: '{"the":"payload"}',
    payload_cut: false,
    status: 200,
    response_excerpt: 'thanks',
    latency_ms: 34,
    success: true,
    error: null,
    sends: 1,
    ...changes,
  };
}

/** What differs in an attempt that the endpoint refused. */
export const REFUSED = {
  state: 'failed',
  success: false,
  status: 503,
  error: { code: 'http_status', message: 'HTTP 503' },
} as const satisfies Partial<DeliveryRecord>;
