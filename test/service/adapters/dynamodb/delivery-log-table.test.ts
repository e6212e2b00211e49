import { randomBytes, randomUUID } from 'node:crypto';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads, partitionOf } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import type { AttemptResult, DeliveryRecord } from '../../../../src/contract/delivery-record.ts';
import type { AttemptStart } from '../../../../src/domain/context.ts';
import { anAttempt, mustRead } from '../../../fakes/delivery.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, tablesOfFile } from './tables.ts';
import { through } from './through.ts';

const tables = await tablesOfFile();

const clock = new FrozenClock();
const log = () => deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });

const aStart = (changes: Partial<AttemptStart> = {}) => anAttempt({ action_id: `act_${randomUUID()}`, ...changes });

const SUCCESS: AttemptResult = { status: 200, response_excerpt: 'ok', latency_ms: 12, success: true, error: null };
const FAILURE: AttemptResult = {
  status: 503,
  response_excerpt: '',
  latency_ms: 40,
  success: false,
  error: { code: 'http_status', message: 'HTTP 503' },
};

async function itemOf({ action_id, reference, at }: AttemptStart) {
  const Key = { pk: partitionOf(action_id, reference), sk: `${at}#${reference}#1` };
  return (await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }))).Item ?? {};
}

const logReads = () => deliveryLogReads(tables.client, tables.sorted, mustRead);

async function recordsOf(actionId: string): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for await (const record of logReads().deliveryRecords(actionId)) records.push(record);
  return records;
}

test('the attempts of an event are found by its time or in a time window, with those of a replay', async () => {
  const start = aStart();
  const replay = '0123456789ab';
  expect(await log().claim(start)).toEqual({ kind: 'claimed' });
  expect(await log().claim({ ...start, replay })).toEqual({ kind: 'claimed' });
  await log().claim({ ...start, attempt: 2 });
  for (const other of [{ reference: 'event-10' }, { reference: 'event-0' }, { at: '2026-03-04T05:06:01Z' }]) {
    await log().claim({ ...start, reference: 'event-2', ...other });
  }
  const found = [
    [1, null],
    [1, replay],
    [2, null],
  ];
  const attempts = await logReads().eventAttempts(start.action_id, 'event-1', start.at);
  expect(attempts.map((one) => [one.attempt, one.replay])).toEqual(found);
  expect(attempts.map((one) => one.event_time)).toEqual([start.at, start.at, start.at]);
});

test.each([
  ['of now', '2026-03-04T05:06:00Z'],
  ['that its publisher named 40 days ago', '2026-01-23T05:06:00Z'],
  ['that its publisher named in the future', '2027-01-01T00:00:00Z'],
  ['with milliseconds', '2026-03-04T05:06:00.250Z'],
])('the time of an event is found, whatever it is: one %s', async (_, at) => {
  const start = { ...aStart(), at };
  await log().claim(start);
  await log().claim({ ...start, reference: 'event-2', at: '2026-03-04T05:06:01Z' });
  const found = (until?: string, reference = 'event-1') =>
    logReads().eventTime(['act_other', start.action_id], reference, until);
  expect(await found()).toBe(at);
  expect(await found(new Date(Date.parse(at) + 1000).toISOString())).toBe(at);
  expect(await found(at)).toBeUndefined();
  expect(await found(undefined, 'event-3')).toBeUndefined();
});

describe('a claim', () => {
  test('of an attempt that was claimed waits until the other invocation must have ended', async () => {
    const start = aStart();
    const later = new FrozenClock();
    const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: later.now });
    expect(await log.claim(start)).toEqual({ kind: 'claimed' });
    expect(await log.claim(start)).toEqual({ kind: 'in_progress', secondsLeft: 20 });
    // The dispatcher's timeout is 15 s, the queue's visibility timeout 30 s.
    later.advance(15_000);
    expect(await log.claim(start)).toEqual({ kind: 'in_progress', secondsLeft: 5 });
    later.advance(5000);
    expect(await log.claim(start)).toEqual({ kind: 'resumed' });
    expect(await log.claim(start)).toEqual({ kind: 'in_progress', secondsLeft: 20 });
    later.advance(90_000);
    expect(await log.claim(start)).toEqual({ kind: 'resumed' });
    // A clock that was set back makes it wait no longer at a time.
    later.advance(-3_600_000);
    expect(await log.claim(start)).toEqual({ kind: 'in_progress', secondsLeft: 20 });
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'started', sends: 3 })]);
  });

  test('succeeds for exactly one of 10 concurrent messages of an attempt, also after a crash', async () => {
    const start = aStart();
    const later = new FrozenClock();
    const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: later.now });
    for (const kind of ['claimed', 'resumed']) {
      const claims = await atOnce(10, () => log.claim(start));
      expect(claims.filter((claim) => claim.kind === kind)).toHaveLength(1);
      expect(claims.filter((claim) => claim.kind === 'in_progress')).toHaveLength(9);
      later.advance(20_000);
    }
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ sends: 2 })]);
  });

  test.each([
    ['a success', SUCCESS],
    ['a failure', FAILURE],
    ['a success with a note', { ...SUCCESS, error: { code: 'timeout' as const, message: 'cut off' } }],
  ])('after %s returns the outcome', async (_, result) => {
    const start = aStart();
    await log().claim(start);
    await log().complete(start, result);
    const { success, status, error } = result;
    expect(await log().claim(start)).toEqual({ kind: 'finished', result: { success, status, error } });
  });
});

describe('messages that a function handles concurrently', () => {
  /** A log whose calls pass through a proxy. */
  const proxied = async (answer: Parameters<typeof through>[1], now = clock.now) => {
    const { client, calls, stop } = await through(tables.access, answer);
    const log = deliveryLog(client, tables.sorted, { retentionDays: 30, now });
    return { log, stop, operations: () => calls.map(({ operation }) => operation) };
  };

  test('claim and complete their attempts in shared calls', async () => {
    const starts = Array.from({ length: 10 }, () => aStart());
    const { log, operations, stop } = await proxied(() => undefined);
    expect(await Promise.all(starts.map(log.claim))).toEqual(starts.map(() => ({ kind: 'claimed' })));
    await Promise.all(starts.map((start, index) => log.complete(start, index % 2 === 0 ? SUCCESS : FAILURE)));
    expect(operations()).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);
    stop();
    const records = await Promise.all(starts.map(({ action_id }) => recordsOf(action_id)));
    expect(records.flat().map(({ status }) => status)).toEqual(starts.map((_, index) => (index % 2 === 0 ? 200 : 503)));
  });

  test('recognize their own writes when the answers are lost, so that no send is counted twice', async () => {
    const starts = [aStart(), aStart(), aStart()];
    const later = new FrozenClock();
    const { log, operations, stop } = await proxied(({ count }) => (count % 3 === 1 ? 'lost' : undefined), later.now);
    const claimAll = async () => (await Promise.all(starts.map(log.claim))).map(({ kind }) => kind);
    expect(await claimAll()).toEqual(starts.map(() => 'claimed'));
    expect(operations()).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement', 'BatchGetItem']);
    later.advance(20_000);
    expect(await claimAll()).toEqual(starts.map(() => 'resumed'));
    await Promise.all(starts.map((start) => log.complete(start, FAILURE)));
    stop();
    for (const { action_id } of starts) {
      expect(await recordsOf(action_id)).toEqual([expect.objectContaining({ state: 'failed', sends: 2 })]);
    }
  });
});

describe('a record', () => {
  test('has all fields of the spec', async () => {
    const start = aStart();
    const options = { retentionDays: 30, now: clock.now, traceId: () => '1-a-b' };
    const log = deliveryLog(tables.client, tables.sorted, options);
    await log.claim(start);
    await log.complete(start, FAILURE);
    expect(await recordsOf(start.action_id)).toEqual([
      {
        trace_id: '1-a-b',
        action_id: start.action_id,
        reference: 'event-1',
        trigger: 'event',
        trigger_ref: 'conversation.started',
        attempt: 1,
        replay: null,
        started_at: '2026-03-04T05:06:07.250Z',
        event_time: start.at,
        state: 'failed',
        payload: '{"id":"event-1"}',
        payload_cut: false,
        status: 503,
        response_excerpt: '',
        latency_ms: 40,
        success: false,
        error: { code: 'http_status', message: 'HTTP 503' },
        sends: 1,
      },
    ]);
  });

  test('of an attempt that was cut off is completed when the attempt must not be made again', async () => {
    const start = aStart();
    const error = { code: 'action_disabled' as const, message: 'The Action is disabled' };
    const later = new FrozenClock();
    const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: later.now });
    await log.claim(start);
    for (const end of [log.recordUnsent, log.abandon]) {
      expect(await end(start, error)).toEqual({ kind: 'in_progress', secondsLeft: 20 });
      expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'started' })]);
    }
    later.advance(20_000);
    expect(await log.recordUnsent(start, error)).toBeUndefined();
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'failed', error, sends: 1 })]);
    const finished = { kind: 'finished', result: { success: false, status: null, error } };
    expect(await log.recordUnsent(start, error)).toEqual(finished);
    expect(await log.abandon(start, error)).toEqual(finished);
  });

  test('whose claim could not be written is written completely at the end', async () => {
    const start = aStart({ hasMessage: false });
    await log().complete(start, FAILURE);
    await log().complete(start, FAILURE);
    expect(await recordsOf(start.action_id)).toEqual([
      expect.objectContaining({ payload: start.payload, trigger: 'event', state: 'failed', status: 503, sends: 1 }),
    ]);
    expect((await itemOf(start)).expires_at).toBe(Math.floor(clock.now().getTime() / 1000) + 30 * 24 * 3600);
    // The message of a queue is sent only with a claim, so the record of this one was erased.
    const erased = aStart();
    await log().complete(erased, FAILURE);
    expect(await recordsOf(erased.action_id)).toEqual([]);
  });
});

describe('a payload', () => {
  const found = async (start: AttemptStart) => {
    const [record] = await recordsOf(start.action_id);
    return { item: await itemOf(start), record };
  };
  const stored = async (payload: string) => {
    const start = aStart({ payload });
    await log().claim(start);
    await log().complete(start, SUCCESS);
    return found(start);
  };
  const REFUSAL = { code: 'action_disabled', message: 'The Action is disabled' } as const;

  test.each<[string, number, (start: AttemptStart) => Promise<unknown>]>([
    ['completion', 1, (start) => log().complete(start, FAILURE)],
    [
      'refusal of what was cut off',
      1,
      async (start) => {
        const later = new Date(clock.now().getTime() + 20_000);
        await deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: () => later }).recordUnsent(
          start,
          REFUSAL,
        );
      },
    ],
    [
      'second completion, which changes nothing,',
      1,
      async (start) => {
        await log().complete(start, FAILURE);
        await log().complete({ ...start, payload: 'other' }, SUCCESS);
      },
    ],
  ])('of a queued attempt is written once, by its %s', async (_, sends, end) => {
    const start = aStart();
    await log().claim(start);
    expect(await found(start)).toMatchObject({ record: { payload: null, state: 'started' } });
    await end(start);
    expect((await found(start)).record).toMatchObject({ payload: start.payload, state: 'failed', sends });
  });

  test('of an attempt without a queue message is written before the request, because no queue keeps it', async () => {
    const start = aStart({ hasMessage: false });
    await log().claim(start);
    expect((await found(start)).record).toMatchObject({ payload: start.payload, state: 'started' });
  });

  test.each([
    ['needs one write unit', 'é'.repeat(256)],
    ['needs as many write units when compressed', randomBytes(600).toString('base64url')],
  ])('that %s is stored as text and read again', async (_, payload) => {
    const { item, record } = await stored(payload);
    expect(item.payload).toBe(payload);
    expect(record).toMatchObject({ payload, payload_cut: false });
  });

  test.each([600, 100_000])(
    'that needs fewer write units when compressed is compressed and read again (%p)',
    async (times) => {
      const payload = JSON.stringify({ text: 'é 👩 '.repeat(times) });
      const { item, record } = await stored(payload);
      expect(item.payload).toBeUndefined();
      expect(item.payload_gzip).toBeInstanceOf(Uint8Array);
      expect(record).toMatchObject({ payload, payload_cut: false });
    },
  );

  test('that is too large for an item even when compressed is cut, and the record says so', async () => {
    const payload = randomBytes(400 * 1024).toString('base64');
    const { record } = await stored(payload);
    expect(record?.payload_cut).toBe(true);
    expect(record?.payload).toBe(payload.slice(0, 50_000));
  });
});

describe('the keys of an Action', () => {
  const keysOf = async (action_id: string) => {
    const { Items = [] } = await tables.documents.send(
      new ScanCommand({
        TableName: tables.sorted,
        FilterExpression: 'begins_with(pk, :log)',
        ExpressionAttributeValues: { ':log': `ACTION#${action_id}#` },
        ConsistentRead: true,
      }),
    );
    return new Set(Items.map(({ pk }) => String(pk)));
  };

  test('are sixteen, evenly used, and all attempts of an event are under the same', async () => {
    const { action_id } = aStart();
    const events = Array.from({ length: 200 }, () => randomUUID());
    await Promise.all(events.map((reference) => log().claim(aStart({ action_id, reference }))));
    const keys = await keysOf(action_id);
    expect(keys.size).toBe(16);
    for (const attempt of [2, 3])
      await Promise.all(events.map((reference) => log().claim(aStart({ action_id, reference, attempt }))));
    const [newest] = events.toSorted().toReversed();
    const listed = (await recordsOf(action_id)).map(({ reference, attempt }) => [reference, attempt]);
    expect(listed.slice(0, 3)).toEqual([3, 2, 1].map((attempt) => [newest, attempt]));
    expect(await keysOf(action_id)).toEqual(keys);
  });

  test('are listed together, newest first', async () => {
    const { action_id } = aStart();
    const starts = Array.from({ length: 250 }, (_, index) =>
      aStart({
        action_id,
        reference: `event-${index}`,
        at: new Date(Date.UTC(2026, 2, 4, 5, 0, index)).toISOString(),
        // The first event began long after its time.
        started_at: new Date(Date.UTC(2026, 2, 4, 5, index === 0 ? 59 : 0, index)).toISOString(),
      }),
    );
    await Promise.all(starts.map((start) => log().claim(start)));
    const listed = (await recordsOf(action_id)).map(({ reference }) => reference);
    expect(listed).toEqual(starts.map(({ reference }) => reference).reverse());
    const since: string[] = [];
    for await (const { reference } of logReads().deliveryRecords(action_id, starts[247]?.started_at)) {
      since.push(reference);
    }
    expect(since).toEqual(['event-249', 'event-248', 'event-247', 'event-0']);
  });
});

test('the records of an Action are all read over several pages, without records of other Actions', async () => {
  const { action_id } = aStart();
  await log().claim(aStart());
  const payload = randomBytes(100_000).toString('base64');
  await atOnce(20, (i) => log().claim(aStart({ action_id, reference: `event-${i}`, payload })));
  const records = await recordsOf(action_id);
  expect(records).toHaveLength(20);
  expect(new Set(records.map((record) => record.action_id))).toEqual(new Set([action_id]));
});

test('an attempt without a message reads nothing when its write is repeated: its function may not read the log', async () => {
  const unreadable = deliveryLog(
    { ...tables.client, batchGet: () => Promise.reject(new Error('AccessDenied')) },
    tables.sorted,
    { retentionDays: 30, now: clock.now },
  );
  const start = aStart({ hasMessage: false });
  const error = { code: 'payload_too_large', message: 'too large' } as const;
  for (let round = 0; round < 2; round += 1) expect(await unreadable.claim(start)).toEqual({ kind: 'claimed' });
  const other = aStart({ hasMessage: false });
  for (let round = 0; round < 2; round += 1) expect(await unreadable.recordUnsent(other, error)).toBeUndefined();
});
