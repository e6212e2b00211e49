import type { Action, EventAction } from '../../contract/actions.ts';
import { retryDelay } from '../delivery/deliver-event.ts';
import { requireOrganization } from '../organizations/manage-organizations.ts';
import type { ConfigurationStore } from '../organizations/store.ts';
import { Refusal } from '../refusal.ts';
import type { Clock } from '../sources.ts';
import { type EventAttempt, type EventSearch, eventTime, type FindEventAttempts, searched } from './event-attempts.ts';

export type TraceEventPorts = {
  readonly store: Pick<ConfigurationStore, 'findOrganization' | 'listActions'>;
  readonly eventAttempts: FindEventAttempts;
  readonly now: Clock;
};

/** An attempt without its payload and response. */
export type TracedAttempt = Pick<
  EventAttempt,
  'attempt' | 'replay' | 'started_at' | 'state' | 'status' | 'latency_ms' | 'success' | 'error' | 'sends'
>;

export type TracedDelivery = {
  readonly action_id: string;
  readonly name: string;
  readonly site_id: string;
  /** Outcome of the first delivery, without replays; `none` when there is no record. */
  readonly outcome: 'delivered' | 'failed' | 'under_way' | 'none';
  /** Why there may be no record; null when there is one. */
  readonly note: string | null;
  readonly attempts: readonly TracedAttempt[];
};

export type EventTrace = {
  readonly event_id: string;
  readonly org_id: string;
  readonly event: string;
  /** When the bus accepted the event. */
  readonly time: string;
  /** The deliveries to each Action that has a record of the event or is now subscribed to events of this name. */
  readonly deliveries: readonly TracedDelivery[];
  /** Ids of Actions that cannot be read, so that their logs were not searched. */
  readonly unreadable: readonly string[];
};

/**
 * Traces an event from the bus to the record of each attempt. No index has the records of an event, so this searches the logs of
 * the organization's Event Actions. The first record that is found has the event's time, with which the other logs are read directly.
 * @param progress called with the number of searched logs
 * @throws Refusal 404 for an unknown organization, or when no log has a record of the event
 */
export async function traceEvent(
  request: { readonly eventId: string; readonly orgId: string; readonly search: EventSearch },
  ports: TraceEventPorts,
  progress: (logs: number) => void,
): Promise<EventTrace> {
  const { eventId, orgId, search } = request;
  await requireOrganization(orgId, ports);
  const list = await ports.store.listActions(orgId);
  const actions = list.actions.filter((action) => action.trigger === 'Event');
  const found = new Map<EventAction, readonly EventAttempt[]>();
  let when = eventTime(search, ports.now);
  let first: EventAttempt | undefined;
  for (const action of actions) {
    const attempts = await ports.eventAttempts(action.action_id, eventId, when);
    found.set(action, attempts);
    first ??= attempts[0];
    if (first !== undefined) when = { at: first.event_time };
    progress(found.size);
  }
  if (first === undefined) {
    const names = new Set(actions.flatMap(({ enabled, events }) => (enabled ? events : [])));
    const subscribed = `the enabled Actions are subscribed to ${[...names].join(', ') || 'no event'}`;
    throw new Refusal('event_not_found', {
      message: `event_id: the logs have no attempt of ${eventId} ${searched(search)}; ${subscribed}`,
    });
  }
  const { trigger_ref: event, event_time: time } = first;
  const deliveries = [...found]
    .filter(([action, attempts]) => attempts.length > 0 || action.events.some((name) => name === event))
    .map(([action, attempts]) => traced(action, attempts, time));
  const unreadable = list.unreadable.map(({ action_id }) => action_id);
  return { event_id: eventId, org_id: orgId, event, time, deliveries, unreadable };
}

function traced(action: Action, attempts: readonly EventAttempt[], time: string): TracedDelivery {
  const { action_id, name, site_id } = action;
  return {
    action_id,
    name,
    site_id,
    outcome: outcomeOf(attempts.filter(({ replay }) => replay === null)),
    note: attempts.length > 0 ? null : whyNone(action, time),
    attempts: attempts.map(
      ({ attempt, replay, started_at, state, status, latency_ms, success, error, sends }): TracedAttempt => ({
        attempt,
        replay,
        started_at,
        state,
        status,
        latency_ms,
        success,
        error,
        sends,
      }),
    ),
  };
}

function outcomeOf(attempts: readonly EventAttempt[]): TracedDelivery['outcome'] {
  const last = attempts.at(-1);
  return last === undefined ? 'none' : outcomeAfter(last);
}

/** Returns the outcome of a delivery from its last attempt. */
export function outcomeAfter(last: EventAttempt): Exclude<TracedDelivery['outcome'], 'none'> {
  if (last.state === 'started') return 'under_way';
  if (last.success || last.error === null) return 'delivered';
  return retryDelay(last, last) === undefined ? 'failed' : 'under_way';
}

function whyNone(action: Action, time: string): string {
  if (Date.parse(action.created_at) > Date.parse(time)) return 'the Action was created after the event';
  if (!action.enabled) return 'the Action is disabled';
  if (Date.parse(action.updated_at) > Date.parse(time))
    return 'the Action was changed after the event; it may not have been subscribed';
  return 'the event belongs to another assistant, or it is still in a queue or a dead-letter queue';
}
