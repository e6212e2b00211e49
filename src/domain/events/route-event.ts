import type { Action, EventAction } from '../../contract/actions.ts';
import type { Envelope } from '../../contract/envelope.ts';
import { EVENT_CATALOG } from '../../contract/events.ts';
import type { BusEvent, DeliveryMessage } from '../../contract/queues.ts';

export type RouteEventPorts = {
  /** Every Action of the organization, at most 50, strongly consistent. */
  readonly actionsOf: (orgId: string) => Promise<readonly Action[]>;
  /** Sends all of them, or throws: the event then comes again, and the claims keep what was sent from being sent twice. */
  readonly send: (messages: readonly DeliveryMessage[]) => Promise<{ readonly tooLarge: readonly DeliveryMessage[] }>;
  /** Records a delivery that no queue can carry. */
  readonly recordTooLarge: (message: DeliveryMessage) => Promise<void>;
};

/**
 * One message per subscribed, enabled Action (spec "Events"). An assistant's event reaches the Actions of that assistant, an
 * organization-level one those of the whole organization, each under its own site id. A reserved one reaches nobody.
 * @returns how many deliveries were begun
 */
export async function routeEvent(event: BusEvent, ports: RouteEventPorts): Promise<number> {
  if (EVENT_CATALOG[event['detail-type']].reserved) return 0;
  const actions = await ports.actionsOf(event.detail.org_id);
  const envelopes = new Map<string, Envelope>();
  const messages = actions
    .filter((action) => isSubscribed(action, event))
    .map(
      (action): DeliveryMessage => ({
        version: 1,
        action_id: action.action_id,
        attempt: 1,
        envelope: envelopeFor(event, action.site_id, envelopes),
      }),
    );
  if (messages.length === 0) return 0;
  const { tooLarge } = await ports.send(messages);
  await Promise.all(tooLarge.map(ports.recordTooLarge));
  return messages.length - tooLarge.length;
}

function isSubscribed(action: Action, event: BusEvent): action is EventAction {
  if (action.trigger !== 'Event' || !action.enabled) return false;
  const siteId = event.detail.site_id;
  return (siteId == null || action.site_id === siteId) && action.events.includes(event['detail-type']);
}

/**
 * The id and the time are the bus's own, so that a redelivery of the same event keeps both. One object per site, which its
 * Actions share: it may be a megabyte.
 */
function envelopeFor(event: BusEvent, actionSiteId: string, made: Map<string, Envelope>): Envelope {
  const known = made.get(actionSiteId);
  if (known !== undefined) return known;
  const envelope: Envelope = {
    id: event.id,
    event: event['detail-type'],
    timestamp: event.time,
    data: event.detail.data,
    site_id: event.detail.site_id ?? actionSiteId,
    org_id: event.detail.org_id,
  };
  made.set(actionSiteId, envelope);
  return envelope;
}
