import { type BusEvent, busEvent, isNewerEvent } from '../../contract/queues.ts';
import { type RouteEventPorts, routeEvent } from './route-event.ts';

export type RouteMessagePorts = RouteEventPorts & {
  /** Called for every event that was routed, with the number of deliveries that began. */
  readonly routed: (event: BusEvent, deliveries: number) => void;
  /** Called for every message whose event was dropped. */
  readonly dropped: (messageId: string) => void;
};

/**
 * Handles one message of the events queue. Drops a malformed event: a retry cannot succeed, and the event has no organization to which it
 * could be reported.
 * @throws Error for an event of a newer version, so that newer code can route it; also the errors of routeEvent
 */
export async function routeMessage(body: unknown, messageId: string, ports: RouteMessagePorts): Promise<void> {
  const event = busEvent.safeParse(body);
  if (event.success) return ports.routed(event.data, await routeEvent(event.data, ports));
  if (isNewerEvent(body)) throw new Error('The event is of a newer version');
  ports.dropped(messageId);
}
