import fc from 'fast-check';
import { sqsClient } from '../../../src/adapters/aws-clients.ts';
import { batchesOf, deliveriesQueue, fairTurns } from '../../../src/adapters/sqs/deliveries-queue.ts';
import { type DeliveryMessage, deliveryMessage } from '../../../src/contract/queues.ts';
import { AwsFault, FakeAwsServices } from '../../fakes/aws-services.ts';

const MEGABYTE = 1024 * 1024;
const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012/deliveries';

/** Returns a message whose JSON has this many bytes, at least 250. */
function aMessage(bytes = 300, actionId = 'act_1'): DeliveryMessage {
  const make = (text: string): DeliveryMessage => ({
    version: 1,
    action_id: actionId,
    attempt: 1,
    envelope: {
      id: 'event-1',
      event: 'test.ping',
      timestamp: '2026-03-04T05:06:00Z',
      data: { text },
      site_id: 's',
      org_id: 'o',
    },
  });
  return make('x'.repeat(bytes - Buffer.byteLength(JSON.stringify(make('')))));
}

const bytesOf = (message: DeliveryMessage) => Buffer.byteLength(JSON.stringify(message));

const aws = new FakeAwsServices();
const queue = deliveriesQueue(sqsClient(aws.access()), URL);
beforeEach(() => {
  aws.reset();
  aws.on('SendMessageBatch', {}, { Successful: [], Failed: [] });
  aws.on('SendMessage', {}, {});
});

describe('messages are split into batches', () => {
  const split = (messages: readonly DeliveryMessage[]) => batchesOf(messages, bytesOf);
  const sizes = (messages: readonly DeliveryMessage[]) => split(messages).batches.map((batch) => batch.length);

  test.each([
    [0, []],
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [50, [10, 10, 10, 10, 10]],
  ])('of at most ten: %p as %p', (count, expected) => {
    expect(sizes(Array.from({ length: count }, () => aMessage()))).toEqual(expected);
  });

  test('of at most one megabyte', () => {
    expect(sizes([aMessage(MEGABYTE / 2), aMessage(MEGABYTE / 2)])).toEqual([2]);
    expect(sizes([aMessage(MEGABYTE / 2), aMessage(MEGABYTE / 2 + 1)])).toEqual([1, 1]);
    expect(sizes([aMessage(MEGABYTE), aMessage()])).toEqual([1, 1]);
  });

  test('and only a message that is too large is returned', () => {
    const tooLarge = aMessage(MEGABYTE + 1, 'act_large');
    const { batches, tooLarge: returned } = split([aMessage(), tooLarge, aMessage()]);
    expect(returned).toEqual([tooLarge]);
    expect(batches.map((batch) => batch.length)).toEqual([2]);
  });

  test('without loss or duplicates, in order and within both limits', () => {
    const count = fc.integer({ min: 250, max: MEGABYTE + 2000 });
    const small = fc.integer({ min: 250, max: 2000 });
    fc.assert(
      fc.property(fc.array(fc.oneof(small, small, small, count), { maxLength: 25 }), (lengths) => {
        const messages = lengths.map((length, i) => aMessage(length, `act_${i}`));
        const { batches, tooLarge } = split(messages);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(10);
          expect(batch.reduce((sum, message) => sum + bytesOf(message), 0)).toBeLessThanOrEqual(MEGABYTE);
        }
        const sent = batches.flat().map((message) => message.action_id);
        const left = tooLarge.map((message) => message.action_id);
        expect(sent).toEqual(messages.map((message) => message.action_id).filter((id) => !left.includes(id)));
        expect(tooLarge.every((message) => bytesOf(message) > MEGABYTE)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe('sending', () => {
  const batches = () => aws.callsOf('SendMessageBatch');

  test('uses the Action as group and nests the envelope as JSON', async () => {
    await queue.send([aMessage(300, 'act_1'), aMessage(300, 'act_2')]);
    expect(batches()).toEqual([
      {
        QueueUrl: URL,
        Entries: [
          { Id: '0', MessageBody: expect.any(String), MessageGroupId: 'act_1' },
          { Id: '1', MessageBody: expect.any(String), MessageGroupId: 'act_2' },
        ],
      },
    ]);
    const body: unknown = JSON.parse(batches()[0]?.Entries?.[0]?.MessageBody ?? '');
    expect(deliveryMessage.parse(body)).toEqual(aMessage(300, 'act_1'));
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
    expect(sent.every((body, i) => body === JSON.stringify([...messages, largest][i]))).toBe(true);
  });

  test('limits concurrent batches for all events together, and sends the others when one fails', async () => {
    let running = 0;
    let most = 0;
    let count = 0;
    aws.on('SendMessageBatch', {}, async () => {
      const which = ++count;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (which === 3) throw new Error('away');
      return { Successful: [], Failed: [] };
    });
    const event = () => queue.send(Array.from({ length: 50 }, (_, i) => aMessage(300, `act_${i}`)));
    const results = await Promise.allSettled(Array.from({ length: 10 }, event));
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
    expect(count).toBe(50);
    expect(most).toBe(6);
  });

  test('sends only refused messages again', async () => {
    aws.on(
      'SendMessageBatch',
      {},
      { Successful: [], Failed: [{ Id: '1', Code: 'InternalError', SenderFault: false }] },
      { Successful: [], Failed: [] },
    );
    await queue.send([aMessage(), aMessage(), aMessage()]);
    expect(batches().map((input) => input.Entries?.map((entry) => entry.Id))).toEqual([['0', '1', '2'], ['1']]);
  });

  test('fails after three attempts, so that the event is delivered again', async () => {
    aws.on(
      'SendMessageBatch',
      {},
      { Successful: [], Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] },
    );
    await expect(queue.send([aMessage()])).rejects.toThrow('SQS refused 1 deliveries: InternalError');
    expect(batches()).toHaveLength(3);
  });

  test('a retry has its delay', async () => {
    const message = { ...aMessage(), attempt: 2 };
    await queue.sendLater(message, 2);
    const entry = { Id: '0', MessageBody: JSON.stringify(message), MessageGroupId: 'act_1', DelaySeconds: 2 };
    expect(batches()).toEqual([{ QueueUrl: URL, Entries: [entry] }]);
  });
});

describe('sending retries at the same time', () => {
  const calls = () => aws.callsOf('SendMessageBatch').map(({ Entries = [] }) => Entries);
  const later = async (...messages: readonly DeliveryMessage[]) =>
    (await Promise.allSettled(messages.map((message, index) => queue.sendLater(message, index)))).map((one) =>
      one.status === 'rejected' ? String(one.reason) : 'sent',
    );
  const failing = (...failed: readonly number[]) =>
    aws.on('SendMessageBatch', {}, () => {
      const refused = (calls().at(-1) ?? []).filter(({ DelaySeconds = 0 }) => failed.includes(DelaySeconds));
      return {
        Successful: [],
        Failed: refused.map(({ Id = '' }) => ({ Id, SenderFault: false, Code: 'InternalError' })),
      };
    });

  test('uses one call for ten, each with its own delay, and one after the other for later ones', async () => {
    expect(await later(...Array.from({ length: 12 }, () => aMessage()))).toEqual(Array(12).fill('sent'));
    expect(calls().map((entries) => entries.map(({ DelaySeconds }) => DelaySeconds))).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [10, 11],
    ]);
    await later(aMessage());
    expect(calls()).toHaveLength(3);
  });

  test('fails only the message that SQS refuses three times', async () => {
    failing(1);
    expect(await later(aMessage(), aMessage(), aMessage())).toEqual([
      'sent',
      'Error: SQS refused 1 deliveries: InternalError',
      'sent',
    ]);
    expect(calls().map((entries) => entries.length)).toEqual([3, 1, 1]);
  });

  test('fails only the message that is too large', async () => {
    expect(await later(aMessage(), aMessage(MEGABYTE + 1))).toEqual([
      'sent',
      'Error: The message is too large for SQS',
    ]);
  });

  test('fails all of them when one cannot be written as JSON, so that none waits for ever', async () => {
    const message = aMessage();
    const unwritable = { ...message, envelope: { ...message.envelope, data: { number: 1n } } };
    const refused = expect.stringContaining('BigInt');
    expect(await later(aMessage(), unwritable)).toEqual([refused, refused]);
  });

  test('sends each message separately when SQS refuses the call', async () => {
    aws.on('SendMessageBatch', {}, () => {
      if (
        calls()
          .at(-1)
          ?.some(({ DelaySeconds }) => DelaySeconds === 1)
      )
        throw new AwsFault('InvalidMessageContents');
      return { Successful: [], Failed: [] };
    });
    const [first, second, third] = await later(aMessage(), aMessage(), aMessage());
    expect([first, third]).toEqual(['sent', 'sent']);
    expect(second).toContain('InvalidMessageContents');
  });
});

describe('sending the messages of several events', () => {
  const batches = () =>
    aws.callsOf('SendMessageBatch').map(({ Entries = [] }) => Entries.map((one) => one.MessageGroupId));
  const event = (name: string, count: number, bytes = 300) =>
    Array.from({ length: count }, (_, index) => aMessage(bytes, `${name}_${index}`));
  const statuses = async (...events: readonly (readonly DeliveryMessage[])[]) =>
    (await queue.sendTogether(events)).map(({ status }) => status);

  test('sends messages of several events in one call when they do not fill a batch', async () => {
    const events = Array.from({ length: 10 }, (_, index) => event(`e${index}`, 1));
    expect(await statuses(...events)).toEqual(events.map(() => 'fulfilled'));
    expect(batches()).toEqual([events.map((_, index) => `e${index}_0`)]);
  });

  test('stays within the limits of a call, sends each message once and returns those that are too large', async () => {
    const events = [
      event('many', 23),
      event('half', 1, MEGABYTE / 2),
      [],
      [...event('more', 1, MEGABYTE / 2 + 1), aMessage(MEGABYTE + 1, 'too_large')],
      event('few', 3),
    ];
    const outcomes = await queue.sendTogether(events);
    expect(outcomes.map((one) => one.status === 'fulfilled' && one.value.tooLarge.length)).toEqual([0, 0, 0, 1, 0]);
    const calls = aws.callsOf('SendMessageBatch').map(({ Entries = [] }) => Entries);
    expect(calls.length).toBe(4);
    for (const entries of calls) {
      expect(entries.length).toBeLessThanOrEqual(10);
      expect(entries.reduce((sum, one) => sum + (one.MessageBody?.length ?? 0), 0)).toBeLessThanOrEqual(MEGABYTE);
    }
    const sent = calls.flat().map((one) => one.MessageGroupId);
    expect(sent.toSorted()).toEqual(
      events
        .flat()
        .map((one) => one.action_id)
        .filter((id) => id !== 'too_large')
        .toSorted(),
    );
  });

  test('fails only the event whose message is still refused', async () => {
    aws.on(
      'SendMessageBatch',
      {},
      { Successful: [], Failed: [{ Id: '1', Code: 'InternalError' }] },
      {
        Successful: [],
        Failed: [{ Id: '1', Code: 'InternalError' }],
      },
    );
    expect(await statuses(event('good', 1), event('bad', 1), event('fine', 1))).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(batches()).toEqual([['good_0', 'bad_0', 'fine_0'], ['bad_0'], ['bad_0']]);
  });

  test('sends the messages of each event separately when SQS refuses the whole call', async () => {
    aws.on('SendMessageBatch', {}, async () => {
      if (batches().at(-1)?.includes('bad_0')) throw new AwsFault('InvalidMessageContents');
      return { Successful: [], Failed: [] };
    });
    expect(await statuses(event('good', 2), event('bad', 1), event('fine', 1))).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(batches()).toEqual([['good_0', 'good_1', 'bad_0', 'fine_0'], ['good_0', 'good_1'], ['bad_0'], ['fine_0']]);
  });

  test('fails all events without further calls when SQS cannot be reached', async () => {
    let asked = 0;
    const handle = async () => {
      asked += 1;
      throw new Error('away');
    };
    const away = deliveriesQueue(sqsClient({ ...aws.access(), requestHandler: { handle } }), URL);
    const outcomes = await away.sendTogether([event('one', 1), event('two', 1)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
  });
});

test('the owner with the fewest running tasks is next, and the limit is never exceeded', async () => {
  const inTurn = fairTurns(2);
  const [busy, quiet] = [{}, {}];
  const begun: string[] = [];
  let underWay = 0;
  const work = (name: string) => async () => {
    underWay += 1;
    expect(underWay).toBeLessThanOrEqual(2);
    begun.push(name);
    await new Promise(setImmediate);
    underWay -= 1;
  };
  const all = ['b1', 'b2', 'b3', 'b4', 'b5'].map((name) => inTurn(busy, work(name)));
  const last = inTurn(quiet, work('quiet'));
  await Promise.all([...all, last]);
  expect(begun).toEqual(['b1', 'b2', 'quiet', 'b3', 'b4', 'b5']);
});

test('a failed task starts the next one', async () => {
  const inTurn = fairTurns(1);
  const failed = inTurn({}, async () => {
    throw new Error('no');
  });
  const next = inTurn({}, async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
