import type { EventAction } from '../../contract/actions.ts';
import { type Envelope, envelope } from '../../contract/envelope.ts';
import { parseExactly } from '../../contract/json.ts';
import type { DeliveryMessage } from '../../contract/queues.ts';
import { requireAction } from '../actions/manage-actions.ts';
import type { ManagementPorts } from '../organizations/manage-organizations.ts';
import { Refusal } from '../refusal.ts';
import { type EventAttempt, type EventSearch, eventTime, type FindEventAttempts, searched } from './event-attempts.ts';

export type ReplayEventPorts = Pick<ManagementPorts, 'store' | 'now' | 'randomBytes'> & {
  readonly eventAttempts: FindEventAttempts;
  /** Sends the message to the deliveries queue. @throws Refusal 413 when the message is too large */
  readonly sendDelivery: (message: DeliveryMessage) => Promise<void>;
};

export type Replay = {
  readonly replay: string;
  readonly event_id: string;
  readonly event: string;
  readonly action_id: string;
};

/**
 * Replays an event: delivers the same envelope with the same id to an Action again. A replay has its own attempts, up to three, and
 * their records name it. A receiver that already handled the id must ignore the request.
 * @throws Refusal 404 for an unknown Action, or when its log has no attempt of the event; 409 when the Action is disabled or not an
 * Event Action, or when the log does not have the whole envelope; 413 when the envelope is too large for a queue message
 */
export async function replayEvent(
  request: { readonly eventId: string; readonly actionId: string; readonly search: EventSearch },
  ports: ReplayEventPorts,
): Promise<Replay> {
  const { eventId, actionId, search } = request;
  const action = await requireReplayable(actionId, ports);
  const attempts = await ports.eventAttempts(actionId, eventId, eventTime(search, ports.now));
  if (attempts.length === 0) {
    throw new Refusal('event_not_found', {
      message: `event_id: the log of ${actionId} holds no attempt of ${eventId} ${searched(search)}`,
    });
  }
  const sent = sentEnvelope(action, attempts);
  const replay = Buffer.from(ports.randomBytes(6)).toString('hex');
  await ports.sendDelivery({ version: 1, action_id: actionId, attempt: 1, replay, envelope: sent });
  return { replay, event_id: eventId, event: sent.event, action_id: actionId };
}

/** Returns an enabled Event Action. @throws Refusal 404 for an unknown Action, 409 when it is disabled, suspended or not an Event Action */
export async function requireReplayable(actionId: string, ports: Pick<ManagementPorts, 'store'>): Promise<EventAction> {
  const action = await requireAction(actionId, ports);
  if (action.trigger !== 'Event')
    throw new Refusal('not_an_event_action', { message: `action_id: ${actionId} is not an Event Action` });
  if (!action.enabled) throw new Refusal('action_disabled', { message: `action_id: ${actionId} is disabled` });
  if (action.suspended)
    throw new Refusal('organization_suspended', { message: `org_id: ${action.org_id} is suspended` });
  return action;
}

function sentEnvelope(action: EventAction, attempts: readonly EventAttempt[]): Envelope {
  const whole = attempts.find(({ payload, payload_cut }) => payload !== null && !payload_cut);
  const [first] = attempts;
  // A GET sends no body, so its records have no payload, and the replay needs no data.
  const text =
    whole?.payload ?? (action.method === 'GET' && first !== undefined ? withoutData(action, first) : undefined);
  if (text === undefined) {
    throw new Refusal('envelope_not_kept');
  }
  return envelope.parse(parseExactly(text));
}

function withoutData({ site_id, org_id }: EventAction, { reference, trigger_ref, event_time }: EventAttempt): string {
  return JSON.stringify({ id: reference, event: trigger_ref, timestamp: event_time, data: {}, site_id, org_id });
}
