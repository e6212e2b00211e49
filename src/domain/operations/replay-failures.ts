import type { ManagementPorts } from '../organizations/manage-organizations.ts';
import type { EventAttempt, ReadLog } from './event-attempts.ts';
import { requireReplayable } from './replay-event.ts';
import { outcomeAfter } from './trace-event.ts';

/** An event for which neither the delivery nor a replay to an Action succeeded. */
export type FailedEvent = Pick<EventAttempt, 'event_time' | 'status' | 'error'> & {
  readonly event_id: string;
  readonly event: string;
  readonly attempts: number;
};

type Seen = { last: EventAttempt; attempts: number; delivered: boolean };

/**
 * Lists the events since a time whose delivery to an Action failed, oldest first. Deliveries in progress and test events are left out.
 * Memory use grows with the number of events in the window; payloads are not kept.
 * @param since time of the oldest event, ISO 8601
 * @param progress called with the number of records read
 * @throws Refusal 404 for an unknown Action, 409 when it is disabled or not an Event Action
 */
export async function failedEvents(
  request: { readonly actionId: string; readonly since: string },
  ports: Pick<ManagementPorts, 'store'> & { readonly deliveryRecords: ReadLog },
  progress: (records: number) => void,
): Promise<readonly FailedEvent[]> {
  await requireReplayable(request.actionId, ports);
  const events = new Map<string, Seen>();
  let records = 0;
  for await (const { payload, response_excerpt, ...record } of ports.deliveryRecords(request.actionId, request.since)) {
    progress(++records);
    if (record.trigger_ref === 'test.ping') continue;
    const attempt = { ...record, payload: null, response_excerpt: null };
    const seen = events.get(record.reference) ?? { last: attempt, attempts: 0, delivered: false };
    events.set(record.reference, {
      last: attempt.started_at > seen.last.started_at ? attempt : seen.last,
      attempts: seen.attempts + 1,
      delivered: seen.delivered || attempt.success,
    });
  }
  return [...events.values()]
    .filter(({ last, delivered }) => !delivered && outcomeAfter(last) === 'failed')
    .map(({ last, attempts }) => ({
      event_id: last.reference,
      event: last.trigger_ref,
      event_time: last.event_time,
      attempts,
      status: last.status,
      error: last.error,
    }))
    .reverse();
}
