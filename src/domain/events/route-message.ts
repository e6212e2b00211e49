import { type BusEvent, busEvent, type DroppedEvent, droppedEvent, isNewerEvent } from '../../contract/queues.ts';
import { type RouteEventPorts, type Routing, routeEvent } from './route-event.ts';

export type RouteMessagePorts = RouteEventPorts & {
  /** Called for every event that was routed. */
  readonly routed: (event: BusEvent, routing: Routing) => void;
  /** Called for every message whose event was dropped. `field` is its first wrong field, empty for the whole event. */
  readonly dropped: (messageId: string, event: DroppedEvent, field: string) => void;
};

/**
 * Handles one message of the events queue. Drops a malformed event, and one whose name is not in the catalog: a retry cannot succeed, and the
 * event has no organization to which it could be reported.
 * @throws Error for an event of a newer version, so that newer code can route it; also the errors of routeEvent
 */
export async function routeMessage(body: unknown, messageId: string, ports: RouteMessagePorts): Promise<void> {
  const event = busEvent.safeParse(body);
  if (event.success) return ports.routed(event.data, await routeEvent(event.data, ports));
  if (isNewerEvent(body)) throw new Error('The event is of a newer version');
  ports.dropped(messageId, droppedEvent.parse(body), event.error.issues[0]?.path.join('.') ?? '');
}
