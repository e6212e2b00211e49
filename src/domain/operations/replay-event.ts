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
  /** @throws Refusal 413 when no queue message can hold it */
  readonly sendDelivery: (message: DeliveryMessage) => Promise<void>;
};

export type Replay = {
  readonly replay: string;
  readonly event_id: string;
  readonly event: string;
  readonly action_id: string;
};

/**
 * Delivers an event to an Action again: the same envelope under the same id, up to three attempts of their own, whose records name
 * the replay. The receiver, who is idempotent on the id, does nothing with what it had already.
 * @throws Refusal 404 for an unknown Action, or an event that its log does not hold; 409 when the Action is off or no Event
 * Action, or the log holds no whole envelope
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
  await ports.sendDelivery({ version: 2, action_id: actionId, attempt: 1, replay, envelope: sent });
  return { replay, event_id: eventId, event: sent.event, action_id: actionId };
}

/** @throws Refusal 404 for an unknown Action, 409 when it is off or no Event Action */
export async function requireReplayable(actionId: string, ports: Pick<ManagementPorts, 'store'>): Promise<EventAction> {
  const action = await requireAction(actionId, ports);
  if (action.trigger !== 'Event')
    throw new Refusal('not_an_event_action', { message: `action_id: ${actionId} is not an Event Action` });
  if (!action.enabled) throw new Refusal('action_disabled', { message: `action_id: ${actionId} is switched off` });
  return action;
}

function sentEnvelope(action: EventAction, attempts: readonly EventAttempt[]): Envelope {
  const whole = attempts.find(({ payload, payload_cut }) => payload !== null && !payload_cut);
  const [first] = attempts;
  // A GET carries no body, so that its log has none, and needs none.
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
