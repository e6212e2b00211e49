import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { eventBus } from '../../../src/adapters/eventbridge/event-bus.ts';
import { busEvent } from '../../../src/contract/queues.ts';

const bridge = mockClient(EventBridgeClient);
const publish = eventBus(new EventBridgeClient({ region: 'eu-central-1' }), 'the-bus');
beforeEach(() => bridge.reset());

const EVENT = {
  event: 'conversation.started',
  org_id: 'org_1',
  site_id: 'site_1',
  data: { conversation_id: 'c' },
} as const;

test('an event goes to the bus in the shape that the router reads', async () => {
  bridge.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
  await publish(EVENT);
  const [entry] = bridge.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries ?? [];
  expect(entry).toEqual({
    EventBusName: 'the-bus',
    Source: 'va-wave',
    DetailType: 'conversation.started',
    Detail: expect.any(String),
  });
  const detail: unknown = JSON.parse(entry?.Detail ?? '');
  expect(
    busEvent.parse({ id: 'e', 'detail-type': entry?.DetailType, time: '2026-03-04T05:06:00Z', detail }).detail,
  ).toEqual({
    org_id: 'org_1',
    site_id: 'site_1',
    data: { conversation_id: 'c' },
  });
});

test('an event of the organization names no site', async () => {
  bridge.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [] });
  await publish({ event: 'contact.created', org_id: 'org_1', data: {} });
  expect(bridge.commandCalls(PutEventsCommand)[0]?.args[0].input.Entries?.[0]?.Detail).toBe(
    '{"org_id":"org_1","data":{}}',
  );
});

test('an entry that the bus refuses is a failure, although the call succeeded', async () => {
  bridge.on(PutEventsCommand).resolves({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
  await expect(publish(EVENT)).rejects.toThrow('The bus refused conversation.started: InternalFailure');
});
