import type { Envelope } from '../../contract/envelope.ts';
import { EVENT_CATALOG } from '../../contract/events.ts';
import type { BusEvent, DeliveryMessage } from '../../contract/queues.ts';
import type { ActionList, Subscription } from '../organizations/store.ts';

export type RouteEventPorts = {
  /** The Event Actions of the organization, at most 50, strongly consistent. */
  readonly actionsOf: (orgId: string, trigger: 'Event') => Promise<ActionList>;
  /** Sends all of them, or throws: the event then comes again, and the claims keep what was sent from being sent twice. */
  readonly send: (messages: readonly DeliveryMessage[]) => Promise<{ readonly tooLarge: readonly DeliveryMessage[] }>;
  /** Records a delivery that no queue can carry. */
  readonly recordTooLarge: (message: DeliveryMessage) => Promise<void>;
};

/**
 * One message per subscribed, enabled Action (spec "Events"). An assistant's event reaches the Actions of that assistant, an
 * organization-level one those of the whole organization, each under its own site id. A reserved one reaches nobody.
 *
 * An Action that cannot be read gets its message if at least its subscription can: the message then comes back to the dispatcher
 * until the Action can be read, or waits among the dead letters, alone.
 * @returns how many deliveries were begun
 * @throws Error when of an Action not even the subscription can be read, after the others got theirs: the event comes again
 */
export async function routeEvent(event: BusEvent, ports: RouteEventPorts): Promise<number> {
  if (EVENT_CATALOG[event['detail-type']].reserved) return 0;
  const { actions, unreadable } = await ports.actionsOf(event.detail.org_id, 'Event');
  const subscribers = [
    ...actions.filter((action) => action.trigger === 'Event' && isSubscribed(action, event)),
    ...unreadable.flatMap(({ action_id, subscription }) =>
      subscription !== undefined && isSubscribed(subscription, event)
        ? [{ action_id, site_id: subscription.site_id }]
        : [],
    ),
  ];
  const begun = await begin(subscribers, event, ports);
  const unknown = unreadable.find(({ subscription }) => subscription === undefined);
  if (unknown !== undefined) {
    throw new Error(`Nobody can tell whether Action ${unknown.action_id} is subscribed`, { cause: unknown.cause });
  }
  return begun;
}

async function begin(
  subscribers: readonly { readonly action_id: string; readonly site_id: string }[],
  event: BusEvent,
  ports: Pick<RouteEventPorts, 'send' | 'recordTooLarge'>,
): Promise<number> {
  if (subscribers.length === 0) return 0;
  const envelopes = new Map<string, Envelope>();
  const messages = subscribers.map(
    ({ action_id, site_id }): DeliveryMessage => ({
      version: 1,
      action_id,
      attempt: 1,
      envelope: envelopeFor(event, site_id, envelopes),
    }),
  );
  const { tooLarge } = await ports.send(messages);
  await Promise.all(tooLarge.map(ports.recordTooLarge));
  return messages.length - tooLarge.length;
}

function isSubscribed({ trigger, enabled, site_id, events }: Subscription, event: BusEvent): boolean {
  if (trigger !== 'Event' || !enabled) return false;
  const siteId = event.detail.site_id;
  return (siteId == null || site_id === siteId) && events.includes(event['detail-type']);
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
