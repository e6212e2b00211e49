import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { WatchEndpointPorts } from '../../domain/delivery/failing-endpoint.ts';
import type { CatalogEvent, PublishEvent } from '../../domain/events/publish.ts';

/** Names this service as an event's source. */
const SOURCE = 'va-wave';

/** @throws when the bus did not take the event */
export function eventBus(client: EventBridgeClient, busName: string): PublishEvent {
  return async (event) => {
    await putOnBus(client, busName, event);
  };
}

/** An event of our own that is not in the catalog: the rule lets it pass to no Action. Operators add rules for it. */
const ENDPOINT_FAILING = 'va-wave.endpoint.failing';

/** Puts such an event on the bus. @throws when the bus did not take it */
export function endpointFailing(client: EventBridgeClient, busName: string): WatchEndpointPorts['signal'] {
  return async (event) => {
    await put(client, busName, ENDPOINT_FAILING, event);
  };
}

/**
 * @returns the event's id, which is the id of every envelope made of it
 * @throws when the bus did not take the event
 */
export async function putOnBus(client: EventBridgeClient, busName: string, event: CatalogEvent): Promise<string> {
  const { event: name, ...detail } = event;
  return put(client, busName, name, detail);
}

async function put(client: EventBridgeClient, busName: string, name: string, detail: object): Promise<string> {
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName: busName, Source: SOURCE, DetailType: name, Detail: JSON.stringify(detail) }],
    }),
  );
  const entry = Entries?.[0];
  if (FailedEntryCount !== 0) throw new Error(`The bus refused ${name}: ${entry?.ErrorCode}`);
  return entry?.EventId ?? '';
}
