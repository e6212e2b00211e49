import { CANARY_ORGANIZATION, EVENT_CATALOG, type EventName } from '../../contract/events.ts';
import { exceedsLevels } from '../../contract/fields.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import {
  type BusEvent,
  busEvent,
  type DeliveryMessage,
  droppedEvent,
  type Envelope,
  isNewerEvent,
  type Received,
} from '../../contract/queues.ts';
import type { Context, Subscriber } from '../context.ts';
import { recordNotCarried } from '../delivery/deliver-event.ts';
import type { FactOf, Invocation } from '../facts.ts';
import { ServiceError, UnreadableMessage } from '../service-error.ts';

type RoutingContext = Context<'subscriptions' | 'queue' | 'deliveryLog'>;

type Routing = Pick<FactOf<'event_routed'>, 'deliveries' | 'unknown'>;

/**
 * Handles one message of the events queue. Drops a malformed event, and one whose name is not in the catalog: a retry cannot succeed, and the
 * event has no organization to which it could be reported.
 * @throws Error for an event of a newer version, so that newer code can route it; also the errors of routeEvent
 */
export async function routeMessage(
  { message, messageId }: Received<unknown>,
  context: RoutingContext,
  invocation: Invocation,
): Promise<void> {
  const parsedEvent = busEvent.safeParse(message);
  if (parsedEvent.success) {
    const { id: event_id, 'detail-type': event, detail } = parsedEvent.data;
    const { org_id, site_id } = detail;
    const routing = await routeEvent(parsedEvent.data, context, invocation);
    return invocation.reportFact({ kind: 'event_routed', event_id, event, org_id, site_id, ...routing });
  }
  if (isNewerEvent(message)) throw new UnreadableMessage('The event is of a newer version');
  const { id: event_id, 'detail-type': event, source, account } = droppedEvent.parse(message);
  const field = parsedEvent.error.issues[0]?.path.join('.') ?? '';
  invocation.reportFact({ kind: 'event_dropped', message_id: messageId, event_id, event, source, account, field });
}

/**
 * Routes an event: sends one message for each subscribed, enabled Action (spec "Events"). An event of an assistant goes to the Actions of
 * that assistant. An event of the organization goes to the Actions of all its assistants, each with its own site id. A reserved event
 * goes to no Action.
 *
 * Only the subscription of an Action is read here. When the rest of the Action cannot be read, SQS delivers its message again until it can
 * be, or moves it to the dead-letter queue; other Actions are not affected.
 * @throws Error for an Action whose subscription cannot be read, after the messages of the others are sent; the event is delivered again
 */
async function routeEvent(event: BusEvent, context: RoutingContext, invocation: Invocation): Promise<Routing> {
  const { 'detail-type': name, detail } = event;
  const { org_id, site_id } = detail;
  if (EVENT_CATALOG[name].reserved) return { deliveries: 0, unknown: undefined };
  const { exists, subscribers, unreadable } = await context.subscriptions.subscribersOf(org_id);
  // The canary names an organization that does not exist on purpose, so nothing of its events is reported as unknown.
  if (!exists) return { deliveries: 0, unknown: org_id === CANARY_ORGANIZATION ? undefined : 'org_id' };
  const subscribedActions = subscribers.filter((subscriber) => isSubscribed(subscriber, name, site_id));
  const deliveries = await beginDeliveries(subscribedActions, event, context, invocation);
  const [skippedAction] = unreadable;
  if (skippedAction !== undefined) {
    const { action_id, cause } = skippedAction;
    throw new ServiceError(`The subscription of Action ${action_id} cannot be read`, { cause });
  }
  // The event is routed. That nobody can say why it reached no Action is no reason to deliver it again.
  const isKnown =
    site_id == null ||
    subscribers.some((subscriber) => subscriber.site_id === site_id) ||
    (await context.subscriptions.hasAssistant(org_id, site_id).catch((cause: unknown) => {
      invocation.reportFact({ kind: 'assistant_unreadable', site_id, cause });
      return true;
    }));
  return { deliveries, unknown: isKnown ? undefined : 'site_id' };
}

/** Queues the first attempt of each delivery, and records those that no message can carry. Returns how many deliveries began. */
async function beginDeliveries(
  subscribers: readonly Subscriber[],
  event: BusEvent,
  context: Context<'queue' | 'deliveryLog'>,
  invocation: Invocation,
): Promise<number> {
  if (subscribers.length === 0) return 0;
  const messages = [...Map.groupBy(subscribers, ({ site_id }) => site_id)].flatMap(([siteId, ofSite]) => {
    // One object for all Actions of a site, because it may have a megabyte.
    const envelope = envelopeFor(event, siteId);
    return ofSite.map(({ action_id }): DeliveryMessage => ({ version: 1, action_id, attempt: 1, envelope }));
  });
  if (exceedsLevels(event.detail.data, EVENT_DATA_MAX_LEVELS)) {
    await Promise.all(messages.map((message) => recordNotCarried(message, 'too_deep', context, invocation)));
    return 0;
  }
  const { tooLarge } = await context.queue.send(messages);
  await Promise.all(tooLarge.map((message) => recordNotCarried(message, 'too_large', context, invocation)));
  return messages.length - tooLarge.length;
}

/** Returns whether an Action receives an event of its organization. @param siteId the assistant of the event, if it belongs to one */
export function isSubscribed(
  { enabled, site_id, events }: Subscriber,
  name: EventName,
  siteId: string | null | undefined,
): boolean {
  return enabled && (siteId == null || site_id === siteId) && events.includes(name);
}

/** Returns the envelope of an event for a site. Its id and time are those of the bus, so that they stay the same when the event is delivered again. */
function envelopeFor(event: BusEvent, actionSiteId: string): Envelope {
  return {
    id: event.id,
    event: event['detail-type'],
    timestamp: event.time,
    data: event.detail.data,
    site_id: event.detail.site_id ?? actionSiteId,
    org_id: event.detail.org_id,
  };
}
