import { CANARY_ORGANIZATION, EVENT_CATALOG, type EventName } from '../../contract/events.ts';
import { exceedsLevels } from '../../contract/fields.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import {
  type BusEvent,
  busEvent,
  type DeliveryMessage,
  type DroppedEvent,
  droppedEvent,
  type Envelope,
  isNewerEvent,
  type NotCarried,
} from '../../contract/queues.ts';

/** An Event Action and the fields that decide whether it receives an event. */
export type Subscriber = {
  readonly action_id: string;
  readonly site_id: string;
  readonly enabled: boolean;
  readonly events: readonly string[];
};
/** An Action of which not even the subscription can be read. */
export type UnreadableSubscriber = { readonly action_id: string; readonly cause: Error };
/** The Event Actions of an organization. */
export type SubscriberList = {
  /** False when there is no such organization. */
  readonly exists: boolean;
  readonly subscribers: readonly Subscriber[];
  readonly unreadable: readonly UnreadableSubscriber[];
};

export type Subscriptions = {
  /** Reads the Event Actions of the organization, at most 50, as they are now. */
  readonly subscribersOf: (orgId: string) => Promise<SubscriberList>;
  /** Whether the organization has this assistant. Called only for an assistant without an Event Action. */
  readonly hasAssistant: (orgId: string, siteId: string) => Promise<boolean>;
};

export type RouteEventPorts = {
  readonly subscriptions: Subscriptions;
  readonly queue: {
    /** Sends all messages or throws. SQS then delivers the event again, and the claims prevent that an attempt is made twice. */
    readonly send: (messages: readonly DeliveryMessage[]) => Promise<{ readonly tooLarge: readonly DeliveryMessage[] }>;
  };
  /** Records a delivery that no queue message can carry. */
  readonly recordNotCarried: (message: DeliveryMessage, why: NotCarried) => Promise<void>;
};

/** What became of an event. */
export type Routing = {
  /** Number of deliveries that began. */
  readonly deliveries: number;
  /** The field that names no organization, or no assistant of the organization. Such an event reaches no Action. */
  readonly unknown?: 'org_id' | 'site_id';
};

/**
 * Routes an event: sends one message for each subscribed, enabled Action (spec "Events"). An event of an assistant goes to the Actions of
 * that assistant. An event of the organization goes to the Actions of all its assistants, each with its own site id. A reserved event
 * goes to no Action.
 *
 * Only the subscription of an Action is read here. When the rest of the Action cannot be read, SQS delivers its message again until it can
 * be, or moves it to the dead-letter queue; other Actions are not affected.
 * @throws Error for an Action whose subscription cannot be read, after the messages of the others are sent; the event is delivered again
 */
export async function routeEvent(event: BusEvent, ports: RouteEventPorts): Promise<Routing> {
  if (EVENT_CATALOG[event['detail-type']].reserved) return { deliveries: 0 };
  const { org_id, site_id } = event.detail;
  const { exists, subscribers, unreadable } = await ports.subscriptions.subscribersOf(org_id);
  const begun = await begin(
    subscribers.filter((subscriber) => isSubscribed(subscriber, event['detail-type'], event.detail.site_id)),
    event,
    ports,
  );
  const [unknown] = unreadable;
  if (unknown !== undefined) {
    throw new Error(`The subscription of Action ${unknown.action_id} cannot be read`, { cause: unknown.cause });
  }
  if (!exists && org_id !== CANARY_ORGANIZATION) return { deliveries: begun, unknown: 'org_id' };
  // The event is routed. That nobody can say why it reached no Action is no reason to deliver it again.
  const known =
    site_id == null ||
    subscribers.some((subscriber) => subscriber.site_id === site_id) ||
    (await ports.subscriptions.hasAssistant(org_id, site_id).catch(() => true));
  return { deliveries: begun, ...(known ? {} : { unknown: 'site_id' }) };
}

async function begin(
  subscribers: readonly { readonly action_id: string; readonly site_id: string }[],
  event: BusEvent,
  ports: Pick<RouteEventPorts, 'queue' | 'recordNotCarried'>,
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
  if (exceedsLevels(event.detail.data, EVENT_DATA_MAX_LEVELS)) {
    await Promise.all(messages.map((message) => ports.recordNotCarried(message, 'too_deep')));
    return 0;
  }
  const { tooLarge } = await ports.queue.send(messages);
  await Promise.all(tooLarge.map((message) => ports.recordNotCarried(message, 'too_large')));
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

/**
 * Returns the envelope of an event for a site. Its id and time are those of the bus, so that they stay the same when the event is delivered
 * again. The Actions of a site share one object, because it may have a megabyte.
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

export type RouteMessagePorts = RouteEventPorts & {
  readonly report: {
    /** Called for every event that was routed. */
    readonly routed: (event: BusEvent, routing: Routing) => void;
    /** Called for every message whose event was dropped. `field` is its first wrong field, empty for the whole event. */
    readonly dropped: (messageId: string, event: DroppedEvent, field: string) => void;
  };
};

/**
 * Handles one message of the events queue. Drops a malformed event, and one whose name is not in the catalog: a retry cannot succeed, and the
 * event has no organization to which it could be reported.
 * @throws Error for an event of a newer version, so that newer code can route it; also the errors of routeEvent
 */
export async function routeMessage(body: unknown, messageId: string, ports: RouteMessagePorts): Promise<void> {
  const event = busEvent.safeParse(body);
  if (event.success) return ports.report.routed(event.data, await routeEvent(event.data, ports));
  if (isNewerEvent(body)) throw new Error('The event is of a newer version');
  ports.report.dropped(messageId, droppedEvent.parse(body), event.error.issues[0]?.path.join('.') ?? '');
}
