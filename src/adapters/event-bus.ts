import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ENDPOINT_FAILING, PUBLISHED_BY_US } from '../contract/events.ts';
import type { WatchEndpointPorts } from '../domain/delivery/failing-endpoint.ts';
import type { CatalogEvent, PublishEvent } from '../domain/events/publish.ts';
import { messageText } from './message-text.ts';

/** Returns a function that puts catalog events on the bus. @throws Error when the bus does not accept the event */
export function eventBus(client: EventBridgeClient, busName: string): PublishEvent {
  return async (event) => {
    await putOnBus(client, busName, event);
  };
}

/** Returns a function that puts the event of a failing endpoint on the bus. @throws Error when the bus does not accept it */
export function endpointFailing(client: EventBridgeClient, busName: string): WatchEndpointPorts['signal'] {
  return async (event) => {
    await put(client, busName, ENDPOINT_FAILING, event);
  };
}

/**
 * Puts a catalog event on the bus.
 * @returns the id of the event, which is also the id of its envelopes
 * @throws Error when the bus does not accept the event
 */
export async function putOnBus(client: EventBridgeClient, busName: string, event: CatalogEvent): Promise<string> {
  const { event: name, ...detail } = event;
  return put(client, busName, name, detail);
}

async function put(client: EventBridgeClient, busName: string, name: string, detail: object): Promise<string> {
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName: busName, Source: PUBLISHED_BY_US, DetailType: name, Detail: messageText(detail) }],
    }),
  );
  const entry = Entries?.[0];
  if (FailedEntryCount !== 0) throw new Error(`The bus refused ${name}: ${entry?.ErrorCode}`);
  return entry?.EventId ?? '';
}
