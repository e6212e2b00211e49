import { eventBridgeClient } from '../../../src/adapters/aws-clients.ts';
import { eventBus } from '../../../src/adapters/event-bus.ts';
import { busEvent } from '../../../src/contract/queues.ts';
import { FakeAwsServices } from '../../fakes/aws-services.ts';

const aws = new FakeAwsServices();
const publish = eventBus(eventBridgeClient(aws.access()), 'the-bus');
beforeEach(() => aws.reset());

const EVENT = {
  event: 'conversation.started',
  org_id: 'org_1',
  site_id: 'site_1',
  data: { conversation_id: 'c' },
} as const;

const detailOf = async (...[event]: Parameters<typeof publish>) => {
  aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
  await publish(event);
  const [entry] = aws.callsOf('PutEvents').at(-1)?.Entries ?? [];
  expect(entry).toMatchObject({ EventBusName: 'the-bus', Source: 'va-wave', DetailType: event.event });
  return entry?.Detail ?? '';
};

test('an event is put on the bus in the shape that the event-router reads, and an event of the organization has no site', async () => {
  const { event, ...detail } = EVENT;
  const sent = {
    id: 'e',
    'detail-type': event,
    time: '2026-03-04T05:06:00Z',
    detail: JSON.parse(await detailOf(EVENT)),
  };
  expect(busEvent.parse(sent).detail).toEqual(detail);
  expect(await detailOf({ event, org_id: 'org_1', data: {} })).toBe('{"org_id":"org_1","data":{}}');
});

test('a character that a queue behind the bus does not take is put on the bus as its escape', async () => {
  expect(await detailOf({ ...EVENT, data: { referrer: 'https://x/\uffff' } })).toContain('"https://x/\\uffff"');
});

test('an entry that the bus refuses is an error, although the call succeeded', async () => {
  aws.on('PutEvents', {}, { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
  await expect(publish(EVENT)).rejects.toThrow('The bus refused conversation.started: InternalFailure');
});
