import { eventBridgeClient } from '../../src/adapters/aws-clients.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import { busEvent } from '../../src/contract/queues.ts';
import { FakeAwsServices } from '../fakes/aws-services.ts';

const aws = new FakeAwsServices();
const publish = eventBus(eventBridgeClient(aws.access()), 'the-bus');
beforeEach(() => aws.reset());

const EVENT = {
  event: 'conversation.started',
  org_id: 'org_1',
  site_id: 'site_1',
  data: { conversation_id: 'c' },
} as const;

test('an event is put on the bus in the shape that the event-router reads', async () => {
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
  await publish(EVENT);
  const [entry] = aws.callsOf('PutEvents')[0]?.Entries ?? [];
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

test('a character that a queue behind the bus does not take is put on the bus as its escape', async () => {
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
  await publish({ ...EVENT, data: { referrer: 'https://x/\uffff' } });
  expect(aws.callsOf('PutEvents')[0]?.Entries?.[0]?.Detail).toContain('"https://x/\\uffff"');
});

test('an event of the organization has no site', async () => {
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [] });
  await publish({ event: 'contact.created', org_id: 'org_1', data: {} });
  expect(aws.callsOf('PutEvents')[0]?.Entries?.[0]?.Detail).toBe('{"org_id":"org_1","data":{}}');
});

test('an entry that the bus refuses is an error, although the call succeeded', async () => {
  aws.on('PutEvents', {}, { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
  await expect(publish(EVENT)).rejects.toThrow('The bus refused conversation.started: InternalFailure');
});
