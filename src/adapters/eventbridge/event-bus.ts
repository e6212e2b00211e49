import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { PublishEvent } from '../../domain/events/publish.ts';

/** Names this service as an event's source. */
const SOURCE = 'va-wave';

/** One client per container. */
export function eventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}

/** @throws when the bus did not take the event */
export function eventBus(client: EventBridgeClient, busName: string): PublishEvent {
  return async ({ event, ...detail }) => {
    const { FailedEntryCount, Entries } = await client.send(
      new PutEventsCommand({
        Entries: [{ EventBusName: busName, Source: SOURCE, DetailType: event, Detail: JSON.stringify(detail) }],
      }),
    );
    if (FailedEntryCount !== 0) throw new Error(`The bus refused ${event}: ${Entries?.[0]?.ErrorCode}`);
  };
}
