import { createHash } from 'node:crypto';
import type { Action, EventAction } from '../../src/contract/actions.ts';
import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';
import { type Envelope, envelope } from '../../src/contract/queues.ts';
import { requireAction } from '../../src/domain/actions/manage-actions.ts';
import { retryDelay } from '../../src/domain/delivery/outcome.ts';
import { requireExisting } from '../../src/domain/organizations/manage-organizations.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { ConnectedRun } from '../command.ts';

export type PastEventsContext = Pick<
  ConnectedRun['context'],
  'store' | 'eventTime' | 'eventAttempts' | 'deliveryRecords' | 'unreadableRecords' | 'sendDelivery'
>;

/** An event in a log: its id, and its time. Where that is not known, it is searched among the events before `until`. Times are ISO 8601. */
export type PastEvent = { readonly eventId: string; readonly time?: string; readonly until?: string };

/** Returns the id of the replay that follows these attempts: the same for each who asks for it, so that their attempts are claimed once. */
const replayAfter = (attempts: readonly DeliveryRecord[]): string =>
  createHash('sha256')
    .update(attempts.map(({ attempt, replay }) => `${replay}#${attempt}`).join())
    .digest('hex')
    .slice(0, 12);

export async function attemptsOf(logId: string, { eventId, time, until }: PastEvent, context: PastEventsContext) {
  const at = time ?? (await context.eventTime([logId], eventId, until));
  return at === undefined ? [] : context.eventAttempts(logId, eventId, at);
}

/** Says in a message where the search began, which goes back in time. */
export const searchedBefore = (until: string | undefined): string => (until === undefined ? '' : ` before ${until}`);

export type TracedAttempt = Omit<DeliveryRecord, 'payload' | 'response_excerpt'>;
export type TracedDelivery = ReturnType<typeof deliveryTrace>;

/**
 * Traces an event from the bus to the record of each attempt. No index has the records of an event, so this searches the logs of
 * the organization's Event Actions for its time, with which all logs are read directly.
 * @returns the event, and its deliveries to each Action that has a record of it or is now subscribed to events of this name; `time` is the
 * event's own, as its publisher named it, and `unreadable` has the ids of Actions that cannot be read, so that their logs were not searched
 * @throws Refusal 404 for an unknown organization, or when no log has a record of the event
 */
export async function traceEvent(
  { eventId, orgId, until }: { readonly eventId: string; readonly orgId: string; readonly until?: string },
  context: PastEventsContext,
) {
  await requireExisting(orgId, context);
  const list = await context.store.listActions(orgId);
  const actions = list.actions.filter((action) => action.trigger === 'Event');
  const ids = actions.map(({ action_id }) => action_id);
  const time = await context.eventTime(ids, eventId, until);
  const readAttempts = async (action: EventAction, at: string) =>
    [action, await context.eventAttempts(action.action_id, eventId, at)] as const;
  const attemptsByAction =
    time === undefined ? [] : await Promise.all(actions.map((action) => readAttempts(action, time)));
  const [first] = attemptsByAction.flatMap(([, attempts]) => attempts);
  if (time === undefined || first === undefined) {
    // The log of an Action that cannot be read may have it.
    requireReadable(list.unreadable);
    const names = new Set(actions.flatMap(({ enabled, events }) => (enabled ? events : [])));
    const subscribed = `the enabled Actions are subscribed to ${[...names].join(', ') || 'no event'}`;
    throw new Refusal('event_not_found', {
      problem: `the logs have no attempt of ${eventId}${searchedBefore(until)}; ${subscribed}`,
    });
  }
  const { trigger_ref: event, started_at } = first;
  const deliveries = attemptsByAction
    .filter(([action, attempts]) => attempts.length > 0 || action.events.some((name) => name === event))
    .map(([action, attempts]) => deliveryTrace(action, attempts, started_at));
  const unreadable = list.unreadable.map(({ action_id }) => action_id);
  return { event_id: eventId, org_id: orgId, event, time, deliveries, unreadable };
}

/** Describes the delivery of an event to an Action. @param routedAt as in `whyNone` */
function deliveryTrace(action: Action, attempts: readonly DeliveryRecord[], routedAt: string) {
  const { action_id, name, site_id } = action;
  const last = attempts.findLast(({ replay }) => replay === null);
  return {
    action_id,
    name,
    site_id,
    /** Outcome of the first delivery, without replays. */
    outcome: last === undefined ? 'none' : outcomeAfter(last),
    /** Why there may be no record; null when there is one. */
    note: attempts.length > 0 ? null : whyNone(action, routedAt),
    attempts: attempts.map(({ payload, response_excerpt, ...attempt }): TracedAttempt => attempt),
  };
}

function outcomeAfter(last: TracedAttempt): 'delivered' | 'failed' | 'under_way' {
  if (last.state === 'started') return 'under_way';
  if (last.success) return 'delivered';
  return retryDelay(last.attempt, last) === undefined ? 'failed' : 'under_way';
}

/** @param routedAt when another Action received the event, whatever time its publisher named */
function whyNone(action: Action, routedAt: string): string {
  if (Date.parse(action.created_at) > Date.parse(routedAt)) return 'the Action was created after the event';
  if (!action.enabled) return 'the Action is disabled';
  if (Date.parse(action.updated_at) > Date.parse(routedAt))
    return 'the Action was changed after the event; it may not have been subscribed';
  return 'the event belongs to another assistant, or it is still in a queue or a dead-letter queue';
}

/**
 * Replays an event: delivers the same envelope with the same id to an Action again. A replay has its own attempts, up to three, and
 * their records name it. It is delivered once, also if it is asked for again before its first attempt. A receiver that already handled the id must ignore the request.
 * @param event with `replay`, the replay that followed the attempts which the caller saw
 * @throws Refusal 404 for an unknown Action, or when its log has no attempt of the event; 409 when the Action is disabled, suspended or not an
 * Event Action, or when the log does not have the whole envelope; 413 when the envelope is too large for a queue message;
 * ServiceError when a record could not be read
 */
export async function replayEvent(
  actionId: string,
  event: PastEvent & { readonly replay?: string },
  context: PastEventsContext,
) {
  const { eventId, until } = event;
  const action = await requireReplayable(actionId, context);
  const attempts = await attemptsOf(actionId, event, context);
  if (attempts.length === 0) {
    throw new Refusal('event_not_found', {
      problem: `the log of ${actionId} has no attempt of ${eventId}${searchedBefore(until)}`,
    });
  }
  // What cannot be read may be an attempt of this replay, after which nothing would be sent.
  requireReadable(context.unreadableRecords());
  const envelope = sentEnvelope(action, attempts);
  const { replay = replayAfter(attempts) } = event;
  await context.sendDelivery({ version: 1, action_id: actionId, attempt: 1, replay, envelope });
  return { replay, event_id: eventId, event: envelope.event, action_id: actionId };
}

/** Returns an enabled Event Action. @throws Refusal 404 for an unknown Action, 409 when it is disabled, suspended or not an Event Action */
async function requireReplayable(actionId: string, context: PastEventsContext): Promise<EventAction> {
  const action = await requireAction(actionId, context);
  if (action.trigger !== 'Event')
    throw new Refusal('not_an_event_action', { problem: `${actionId} is not an Event Action` });
  if (!action.enabled) throw new Refusal('action_disabled', { problem: `${actionId} is disabled` });
  if (action.suspended) throw new Refusal('organization_suspended', { problem: `${action.org_id} is suspended` });
  return action;
}

/** Returns the envelope that the attempts of an event sent. @throws Refusal 409 when no record has the whole of it */
function sentEnvelope(action: EventAction, attempts: readonly DeliveryRecord[]): Envelope {
  const whole = attempts.find(({ payload, payload_cut }) => payload !== null && !payload_cut);
  const [first] = attempts;
  if (whole?.payload) return envelope.parse(parseJson(whole.payload));
  if (action.method !== 'GET' || first === undefined) throw new Refusal('envelope_not_kept');
  // A GET sends no body, so its records have no payload, and the replay needs no data.
  const { reference: id, trigger_ref: event, event_time: timestamp } = first;
  return envelope.parse({ id, event, timestamp, data: {}, site_id: action.site_id, org_id: action.org_id });
}

/**
 * Lists the events that failed since a time and were never delivered to an Action, also not by a replay, the oldest first. Deliveries in
 * progress and test events are left out.
 * It reads the whole log. Memory use grows with the number of events that failed; payloads are not kept.
 * @param since time of the earliest failure, ISO 8601
 * @param progress called with the number of records read
 * @throws Refusal 404 for an unknown Action, 409 when it is disabled, suspended or not an Event Action
 */
export async function failedEvents(
  { actionId, since }: { readonly actionId: string; readonly since: string },
  context: PastEventsContext,
  progress: (records: number) => void,
) {
  await requireReplayable(actionId, context);
  /** The events that failed, by id, with their times: the newest event first, as in the log. */
  const failedTimes = new Map<string, string>();
  let records = 0;
  for await (const { reference, trigger_ref, event_time, success } of context.deliveryRecords(actionId, since)) {
    progress(++records);
    if (!success && trigger_ref !== 'test.ping') failedTimes.set(reference, event_time);
  }
  const failures = [];
  for (const [event_id, event_time] of [...failedTimes].reverse()) {
    // An event that failed since then may have been delivered before or after.
    const attempts = await context.eventAttempts(actionId, event_id, event_time);
    const [last] = attempts.toSorted((a, b) => b.started_at.localeCompare(a.started_at));
    if (last === undefined || attempts.some(({ success }) => success) || outcomeAfter(last) !== 'failed') continue;
    const { trigger_ref: event, status, error, started_at: failed_at } = last;
    const replay = replayAfter(attempts);
    failures.push({ event_id, event, event_time, failed_at, attempts: attempts.length, status, error, replay });
  }
  return failures;
}
