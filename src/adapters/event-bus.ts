import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ENDPOINT_FAILING, PUBLISHED_BY_US } from '../contract/events.ts';
import { messageText } from '../contract/queues.ts';
import type { PublishEvent, World } from '../domain/context.ts';
import { ServiceError } from '../domain/service-error.ts';

/** Returns a function that puts catalog events on the bus. @throws Error when the bus does not accept the event */
export const eventBus =
  (client: EventBridgeClient, busName: string): PublishEvent =>
  ({ event: name, ...detail }) =>
    putEntry(client, busName, name, detail);

/** Returns a function that puts the event of a failing endpoint on the bus. @throws Error when the bus does not accept it */
export const endpointFailing =
  (client: EventBridgeClient, busName: string): World['publishFailing'] =>
  async (event) => {
    await putEntry(client, busName, ENDPOINT_FAILING, event);
  };

async function putEntry(client: EventBridgeClient, busName: string, name: string, detail: object): Promise<string> {
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName: busName, Source: PUBLISHED_BY_US, DetailType: name, Detail: messageText(detail) }],
    }),
  );
  const entry = Entries?.[0];
  if (FailedEntryCount !== 0) throw new ServiceError(`The bus refused ${name}: ${entry?.ErrorCode}`);
  return entry?.EventId ?? '';
}
