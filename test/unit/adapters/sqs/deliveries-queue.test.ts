import { sqsClient } from '../../../../src/adapters/aws-clients.ts';
import { deliveriesQueue } from '../../../../src/adapters/sqs/deliveries-queue.ts';
import { type DeliveryMessage, deliveryMessage } from '../../../../src/contract/queues.ts';
import { AwsFault, FakeAwsServices } from '../../../fakes/aws-services.ts';
import { DELIVERY } from '../../../fakes/delivery.ts';

const MEGABYTE = 1024 * 1024;
const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries';

/** Returns a message whose JSON has this many bytes, at least 300. */
function aMessage(bytes = 300, action_id = 'act_1'): DeliveryMessage {
  const make = (text: string) => ({ ...DELIVERY, action_id, envelope: { ...DELIVERY.envelope, data: { text } } });
  return make('x'.repeat(bytes - Buffer.byteLength(JSON.stringify(make('')))));
}

const aws = new FakeAwsServices();
const queue = deliveriesQueue(sqsClient(aws.access()), URL);
beforeEach(() => {
  aws.reset();
  aws.on('SendMessageBatch', {}, { Successful: [], Failed: [] });
  aws.on('SendMessage', {}, {});
});

describe('sending', () => {
  const batches = () => aws.callsOf('SendMessageBatch');

  test('uses the Action as group and nests the envelope as JSON, without a character that SQS does not take', async () => {
    const { envelope, ...first } = aMessage(300, 'act_1');
    const odd = { ...first, envelope: { ...envelope, data: { referrer: 'https://x/\uffff', '\ufffe': '\ud800' } } };
    await queue.send([odd, aMessage(300, 'act_2')]);
    expect(batches()).toEqual([
      {
        QueueUrl: URL,
        Entries: [
          { Id: '0', MessageBody: expect.any(String), MessageGroupId: 'act_1' },
          { Id: '1', MessageBody: expect.any(String), MessageGroupId: 'act_2' },
        ],
      },
    ]);
    const body = batches()[0]?.Entries?.[0]?.MessageBody ?? '';
    expect(body).not.toMatch(/[\ufffe\uffff\p{Surrogate}]/u);
    expect(deliveryMessage.parse(JSON.parse(body))).toEqual(odd);
  });

  test('sends each message unchanged and within both limits, also when many share a large envelope', async () => {
    const { envelope } = aMessage(MEGABYTE / 2.2);
    const messages = Array.from({ length: 50 }, (_, i) => ({ ...aMessage(), action_id: `act_${i}`, envelope }));
    const largest = aMessage(MEGABYTE, 'act_é');
    const tooLarge = aMessage(MEGABYTE + 1, 'act_é');
    expect(await queue.send([...messages, largest, tooLarge])).toEqual({ tooLarge: [tooLarge] });
    const entries = batches().map((input) => input.Entries ?? []);
    for (const batch of entries) {
      expect(new Set(batch.map((entry) => entry.Id)).size).toBe(batch.length);
      const bytes = batch.reduce((sum, entry) => sum + Buffer.byteLength(entry.MessageBody ?? ''), 0);
      expect(bytes).toBeLessThanOrEqual(MEGABYTE);
    }
    const sent = entries.flat().map((entry) => entry.MessageBody);
    expect(sent).toHaveLength(51);
    const bodies = [...messages, largest].map((message) => JSON.stringify(message));
    expect(sent.toSorted()).toEqual(bodies.toSorted());
  });

  test('sends three full batches of an organization at the same time, and the others when one fails', async () => {
    let running = 0;
    let most = 0;
    let count = 0;
    const handle = async () => {
      const which = ++count;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (which === 3) throw new Error('away');
      return { response: { statusCode: 200, headers: {}, body: Buffer.from('{"Successful":[],"Failed":[]}') } };
    };
    const partly = deliveriesQueue(sqsClient({ ...aws.access(), requestHandler: { handle } }), URL);
    const event = () => partly.send(Array.from({ length: 50 }, (_, i) => aMessage(300, `act_${i}`)));
    const results = await Promise.allSettled(Array.from({ length: 10 }, event));
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
    expect(count).toBe(50);
    // The batch that is not full waits for no other one.
    expect(most).toBe(4);
  });
});

describe('sending retries at the same time', () => {
  const calls = () => aws.callsOf('SendMessageBatch').map(({ Entries = [] }) => Entries);
  const later = async (...messages: readonly DeliveryMessage[]) =>
    (await Promise.allSettled(messages.map((message, index) => queue.sendLater(message, index)))).map((one) =>
      one.status === 'rejected' ? String(one.reason) : 'sent',
    );

  test('uses one call for ten, each with its own delay', async () => {
    const message = { ...aMessage(), attempt: 2 };
    expect(await later(...Array.from({ length: 12 }, () => message))).toEqual(Array(12).fill('sent'));
    const entry = { MessageBody: JSON.stringify(message), MessageGroupId: 'act_1' };
    const sent = (Id: number, DelaySeconds: number) => ({ Id: String(Id), ...entry, DelaySeconds });
    expect(calls()).toEqual([Array.from({ length: 10 }, (_, i) => sent(i, i)), [sent(0, 10), sent(1, 11)]]);
  });

  test('fails only the message that is too large', async () => {
    expect(await later(aMessage(), aMessage(MEGABYTE + 1))).toEqual([
      'sent',
      'ServiceError: The message is too large for SQS',
    ]);
  });

  test('fails only the message that cannot be written as JSON', async () => {
    const message = aMessage();
    const nested: unknown = JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`);
    const unwritable = (value: unknown) => ({ ...message, envelope: { ...message.envelope, data: { value } } });
    const results = await later(aMessage(), unwritable(1n), unwritable(nested), aMessage());
    expect(results).toEqual([
      'sent',
      expect.stringContaining('BigInt'),
      'RangeError: Maximum call stack size exceeded',
      'sent',
    ]);
    expect(calls().map((entries) => entries.length)).toEqual([2]);
  });

  test('does not repeat a call for each message when SQS throttles it', async () => {
    aws.on('SendMessageBatch', {}, () => {
      throw new AwsFault('RequestThrottled');
    });
    expect(await later(aMessage(), aMessage())).toEqual(Array(2).fill(expect.stringContaining('RequestThrottled')));
    expect(calls().map((entries) => entries.length)).toEqual([2, 2, 2]);
  });
});

describe('sending the messages of several events', () => {
  const batches = () =>
    aws.callsOf('SendMessageBatch').map(({ Entries = [] }) => Entries.map((one) => one.MessageGroupId));
  /** Returns the messages of an event of this organization. */
  const event = (org_id: string, count: number, bytes = 300) =>
    Array.from({ length: count }, (_, index): DeliveryMessage => {
      const message = aMessage(bytes, `${org_id}_${index}`);
      return { ...message, envelope: { ...message.envelope, org_id } };
    });
  const statuses = async (...events: readonly (readonly DeliveryMessage[])[]) =>
    (await Promise.allSettled(events.map(queue.send))).map(({ status }) => status);
  const SECOND_FAILS = ['fulfilled', 'rejected', 'fulfilled'];

  test('sends messages of several events in one call when they do not fill a batch', async () => {
    const events = Array.from({ length: 10 }, (_, index) => event(`e${index}`, 1));
    expect(await statuses(...events)).toEqual(events.map(() => 'fulfilled'));
    expect(batches()).toEqual([events.map((_, index) => `e${index}_0`)]);
  });

  test('sends only refused messages again, and fails only the event whose message is refused three times', async () => {
    aws.on(
      'SendMessageBatch',
      {},
      { Successful: [], Failed: [{ Id: '1', Code: 'InternalError' }] },
      { Successful: [], Failed: [{ Id: '0', Code: 'InternalError' }] },
    );
    expect(await statuses(event('good', 1), event('bad', 1), event('fine', 1))).toEqual(SECOND_FAILS);
    expect(batches()).toEqual([['good_0', 'bad_0', 'fine_0'], ['bad_0'], ['bad_0']]);
  });

  test('sends the messages of each event separately when SQS refuses the whole call', async () => {
    aws.on('SendMessageBatch', {}, async () => {
      if (batches().at(-1)?.includes('bad_0')) throw new AwsFault('InvalidMessageContents');
      return { Successful: [], Failed: [] };
    });
    expect(await statuses(event('good', 2), event('bad', 1), event('fine', 1))).toEqual(SECOND_FAILS);
    expect(batches()).toEqual([['good_0', 'good_1', 'bad_0', 'fine_0'], ['good_0'], ['good_1'], ['bad_0'], ['fine_0']]);
  });

  test('an organization with many full batches does not delay another one', async () => {
    const hold = Promise.withResolvers<void>();
    aws.on('SendMessageBatch', {}, async () => {
      if (!batches().at(-1)?.includes('small_0')) await hold.promise;
      return { Successful: [], Failed: [] };
    });
    const large = queue.send(event('large', 20, MEGABYTE * 0.75));
    await queue.send(event('small', 1));
    expect(batches()).toHaveLength(4);
    hold.resolve();
    await large;
    expect(batches()).toHaveLength(20);
  });

  test('fails all events without further calls when SQS cannot be reached', async () => {
    let asked = 0;
    const handle = async () => {
      asked += 1;
      throw new Error('away');
    };
    const away = deliveriesQueue(sqsClient({ ...aws.access(), requestHandler: { handle } }), URL);
    const outcomes = await Promise.allSettled([event('one', 1), event('two', 1)].map(away.send));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
  });
});
