import { type BusEvent, busEvent, isNewerEvent } from '../../contract/queues.ts';
import { type RouteEventPorts, routeEvent } from './route-event.ts';

export type RouteMessagePorts = RouteEventPorts & {
  /** Told of every event that was routed, with the number of deliveries that it began. */
  readonly routed: (event: BusEvent, deliveries: number) => void;
  /** Told of every message whose event was dropped. */
  readonly dropped: (messageId: string) => void;
};

/**
 * Deals with one message of the events queue. An event that the bus's publisher got wrong is dropped: no retry can mend that, and no
 * organization can be told.
 * @throws Error when the event is of a newer version, for newer code to route it; and as routeEvent does
 */
export async function routeMessage(body: unknown, messageId: string, ports: RouteMessagePorts): Promise<void> {
  const event = busEvent.safeParse(body);
  if (event.success) return ports.routed(event.data, await routeEvent(event.data, ports));
  if (isNewerEvent(body)) throw new Error('The event is of a newer version');
  ports.dropped(messageId);
}
