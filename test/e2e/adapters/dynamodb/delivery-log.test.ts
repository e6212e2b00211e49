import { randomBytes, randomUUID } from 'node:crypto';
import { GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log.ts';
import { deliveryRecords, eventAttempts, partitionOf } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import type { DeliveryRecord } from '../../../../src/contract/delivery-record.ts';
import type { AttemptResult, AttemptStart } from '../../../../src/domain/delivery/delivery-log.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, startTables, type TestTables } from './tables.ts';
import { through } from './through.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const clock = new FrozenClock();
const log = () => deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });

function aStart(changes: Partial<AttemptStart> = {}): AttemptStart {
  return {
    action_id: `act_${randomUUID()}`,
    at: '2026-03-04T05:06:00Z',
    reference: 'event-1',
    attempt: 1,
    trigger: 'event',
    trigger_ref: 'conversation.started',
    payload: '{"id":"event-1"}',
    started_at: '2026-03-04T05:06:07.250Z',
    message_id: 'message-1',
    ...changes,
  };
}

const SUCCESS: AttemptResult = { status: 200, response_excerpt: 'ok', latency_ms: 12, success: true, error: null };
const FAILURE: AttemptResult = {
  status: 503,
  response_excerpt: '',
  latency_ms: 40,
  success: false,
  error: { code: 'http_status', message: 'HTTP 503' },
};

async function recordsOf(actionId: string): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for await (const record of deliveryRecords(tables.client, tables.sorted, actionId)) records.push(record);
  return records;
}

test('a record of newer code that this code cannot read is neither claimed nor treated as another message’s', async () => {
  const start = aStart();
  await log().claim(start);
  await log().complete(start, { ...FAILURE, error: { code: 'timeout', message: '' } });
  await tables.documents.send(
    new UpdateCommand({
      TableName: tables.sorted,
      Key: { pk: partitionOf(start.action_id, start.reference), sk: `${start.at}#${start.reference}#1` },
      UpdateExpression: 'SET failure.code = :code, something_new = :code',
      ExpressionAttributeValues: { ':code': 'code_of_the_future' },
    }),
  );
  // The message becomes visible again until code runs that can read the record.
  await expect(log().claim(start)).rejects.toThrow();
});

describe('the attempts of an event', () => {
  test('are found by its time or in a time window, with those of a replay', async () => {
    const start = aStart();
    const replay = '0123456789ab';
    expect(await log().claim(start)).toEqual({ kind: 'claimed' });
    expect(await log().claim({ ...start, replay, message_id: 'message-2' })).toEqual({ kind: 'claimed' });
    await log().claim({ ...start, attempt: 2 });
    for (const other of [{ reference: 'event-10' }, { reference: 'event-0' }, { at: '2026-03-04T05:06:01Z' }]) {
      await log().claim({ ...start, reference: 'event-2', ...other });
    }
    const found = [
      [1, null],
      [1, replay],
      [2, null],
    ];
    for (const when of [{ at: start.at }, { from: '2026-03-04T05:06:00.000Z', to: '2026-03-04T06:00:00.000Z' }]) {
      const attempts = await eventAttempts(tables.client, tables.sorted, start.action_id, 'event-1', when);
      expect(attempts.map((one) => [one.attempt, one.replay])).toEqual(found);
      expect(attempts.map((one) => one.event_time)).toEqual([start.at, start.at, start.at]);
    }
    const before = { from: '2026-03-04T04:00:00.000Z', to: '2026-03-04T05:00:00.000Z' };
    expect(await eventAttempts(tables.client, tables.sorted, start.action_id, 'event-1', before)).toEqual([]);
  });
});

describe('a claim', () => {
  test('succeeds for exactly one of 20 concurrent messages', async () => {
    const start = aStart();
    const claims = await atOnce(20, (i) => log().claim({ ...start, message_id: `message-${i}` }));
    expect(claims.filter((claim) => claim.kind === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim.kind === 'taken')).toHaveLength(19);
  });

  test('of the same message waits until the other invocation must have ended', async () => {
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
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'started', sends: 3 })]);
  });

  test('succeeds for exactly one of 10 concurrent receives of one message, also after a crash', async () => {
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

  test('stores the id of the trace', async () => {
    const traced = deliveryLog(tables.client, tables.sorted, {
      retentionDays: 30,
      now: clock.now,
      traceId: () => '1-a-b',
    });
    const [one, other] = [aStart(), aStart()];
    await traced.claim(one);
    await log().claim(other);
    expect(await recordsOf(one.action_id)).toEqual([expect.objectContaining({ trace_id: '1-a-b' })]);
    expect((await recordsOf(other.action_id))[0]).not.toHaveProperty('trace_id');
  });

  test('whose answer is lost is found by the repeated write, and no send is counted twice', async () => {
    const start = aStart();
    const later = new FrozenClock();
    // The proxy drops the first answer to every write, after the write was made.
    const { client, calls, stop } = await through(tables.access, ({ count }) => (count % 2 === 1 ? 'lost' : undefined));
    const log = deliveryLog(client, tables.sorted, { retentionDays: 30, now: later.now });
    expect(await log.claim(start)).toEqual({ kind: 'claimed' });
    later.advance(20_000);
    expect(await log.claim(start)).toEqual({ kind: 'resumed' });
    expect(calls.length).toBeGreaterThanOrEqual(4);
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ sends: 2 })]);
    stop();
  });

  test.each([
    ['a success', SUCCESS],
    ['a failure', FAILURE],
    ['a success with a note', { ...SUCCESS, error: { code: 'timeout' as const, message: 'cut off' } }],
  ])('of the same message after %s returns the outcome', async (_, result) => {
    const start = aStart();
    await log().claim(start);
    await log().complete(start, result);
    const { success, status, error } = result;
    expect(await log().claim(start)).toEqual({ kind: 'finished', result: { success, status, error } });
    expect(await log().claim({ ...start, message_id: 'message-2' })).toEqual({ kind: 'taken' });
    expect(await log().claim({ ...start, message_id: null })).toEqual({ kind: 'taken' });
  });

  test('of a request without a queue message is never resumed', async () => {
    const start = aStart({ message_id: null });
    await log().claim(start);
    expect(await log().claim(start)).toEqual({ kind: 'taken' });
  });

  test.each<[string, Partial<AttemptStart>]>([
    ['attempt', { attempt: 2 }],
    ['event', { reference: 'event-2' }],
    ['Action', { action_id: 'act_other' }],
  ])('of another %s has another record', async (_, changes) => {
    const start = aStart();
    await log().claim(start);
    expect(await log().claim({ ...start, ...changes })).toEqual({ kind: 'claimed' });
  });
});

describe('messages that a function handles concurrently', () => {
  const sharing = (client = tables.client, now = clock.now) =>
    deliveryLog(client, tables.sorted, { retentionDays: 30, now });
  const operations = (calls: readonly { readonly operation: string }[]) => calls.map(({ operation }) => operation);

  test('claim and complete their attempts in shared calls, with the same records as alone', async () => {
    const action_id = aStart().action_id;
    const starts = Array.from({ length: 10 }, (_, index) =>
      aStart({ action_id, reference: `event-${index}`, message_id: `message-${index}` }),
    );
    const { client, calls, stop } = await through(tables.access, () => undefined);
    const log = sharing(client);
    const claims = await Promise.all(starts.map((start) => log.claim(start)));
    expect(claims).toEqual(starts.map(() => ({ kind: 'claimed' })));
    const results = starts.map((_, index) => (index % 2 === 0 ? SUCCESS : FAILURE));
    await Promise.all(starts.map((start, index) => log.complete(start, results[index] ?? SUCCESS)));
    expect(operations(calls)).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);
    stop();

    const shared = await recordsOf(action_id);
    const alone = starts.map((start) => ({ ...start, action_id: `${action_id}-alone` }));
    const others = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });
    for (const [index, start] of alone.entries()) {
      await others.claim(start);
      await others.complete(start, results[index] ?? SUCCESS);
    }
    const expected = await recordsOf(`${action_id}-alone`);
    expect(shared).toEqual(expected.map((record) => ({ ...record, action_id })));
  });

  test('get the result of their own claim', async () => {
    const later = new FrozenClock();
    const log = sharing(tables.client, later.now);
    const [fresh, finished, stale, young, foreign] = [aStart(), aStart(), aStart(), aStart(), aStart()];
    await Promise.all([log.claim(stale), log.claim(finished), log.claim(foreign)]);
    await log.complete(finished, SUCCESS);
    later.advance(20_000);
    await log.claim(young);
    expect(
      await Promise.all([
        log.claim(fresh),
        log.claim(finished),
        log.claim(stale),
        log.claim(young),
        log.claim({ ...foreign, message_id: 'message-2' }),
      ]),
    ).toEqual([
      { kind: 'claimed' },
      { kind: 'finished', result: { success: true, status: 200, error: null } },
      { kind: 'resumed' },
      { kind: 'in_progress', secondsLeft: 20 },
      { kind: 'taken' },
    ]);
  });

  test('claim an attempt once, also when two of them are for the same attempt', async () => {
    const start = aStart();
    const log = sharing();
    const other = aStart();
    const claims = await Promise.all([
      log.claim(start),
      log.claim({ ...start, message_id: 'message-2' }),
      log.claim(other),
    ]);
    const [first, second, third] = claims.map(({ kind }) => kind);
    // The two are written in different calls, and either call may be the first.
    expect([first, second].sort()).toEqual(['claimed', 'taken']);
    expect(third).toBe('claimed');
  });

  test('recognize their own writes when the answer to a shared call is lost', async () => {
    const starts = [aStart(), aStart(), aStart()];
    const { client, calls, stop } = await through(tables.access, ({ count }) => (count === 1 ? 'lost' : undefined));
    const claims = await Promise.all(starts.map(sharing(client).claim));
    expect(claims).toEqual(starts.map(() => ({ kind: 'claimed' })));
    expect(operations(calls).slice(0, 3)).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement', 'BatchGetItem']);
    stop();
    const again = await through(tables.access, ({ count }) => (count === 1 ? 'lost' : undefined));
    const log = sharing(again.client);
    await Promise.all(starts.map((start) => log.complete(start, FAILURE)));
    again.stop();
    for (const { action_id } of starts) {
      expect(await recordsOf(action_id)).toEqual([expect.objectContaining({ state: 'failed', sends: 1 })]);
    }
  });

  test('write no record whose claim was erased', async () => {
    const starts = [aStart(), aStart()];
    const log = sharing();
    await Promise.all(starts.map((start) => log.complete(start, SUCCESS)));
    for (const { action_id } of starts) expect(await recordsOf(action_id)).toEqual([]);
  });

  test('keep an ended record as it is', async () => {
    const starts = [aStart(), aStart()];
    const log = sharing();
    await Promise.all(starts.map((start) => log.claim(start)));
    await Promise.all(starts.map((start) => log.complete(start, SUCCESS)));
    await Promise.all(starts.map((start) => log.complete(start, FAILURE)));
    for (const { action_id } of starts) {
      expect(await recordsOf(action_id)).toEqual([expect.objectContaining({ state: 'succeeded', status: 200 })]);
    }
  });
});

describe('a record', () => {
  test('has all fields of the spec', async () => {
    const start = aStart();
    await log().claim(start);
    await log().complete(start, FAILURE);
    expect(await recordsOf(start.action_id)).toEqual([
      {
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

  test('of a request without a body and an answer has nulls', async () => {
    const start = aStart({ payload: null, message_id: null });
    await log().claim(start);
    await log().complete(start, {
      status: null,
      response_excerpt: null,
      latency_ms: 5000,
      success: false,
      error: { code: 'timeout', message: 't' },
    });
    expect(await recordsOf(start.action_id)).toEqual([
      expect.objectContaining({ payload: null, status: null, response_excerpt: null }),
    ]);
  });

  test('of an attempt that was not sent is finished, counts no send, and does not replace an existing record', async () => {
    const start = aStart();
    const error = { code: 'action_deleted' as const, message: 'The Action was deleted' };
    await log().recordUnsent(start, error);
    expect(await recordsOf(start.action_id)).toEqual([
      expect.objectContaining({ state: 'failed', success: false, error, sends: 0, status: null }),
    ]);
    const sent = aStart();
    await log().claim(sent);
    await log().complete(sent, SUCCESS);
    await log().recordUnsent(sent, error);
    expect(await recordsOf(sent.action_id)).toEqual([
      expect.objectContaining({ state: 'succeeded', error: null, sends: 1 }),
    ]);
  });

  test('of an attempt that was cut off is completed when the attempt must not be made again', async () => {
    const start = aStart();
    const error = { code: 'action_disabled' as const, message: 'The Action is disabled' };
    await log().claim(start);
    expect(await log().recordUnsent({ ...start, message_id: 'message-copy' }, error)).toBeUndefined();
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'started' })]);
    expect(await log().recordUnsent(start, error)).toBeUndefined();
    expect(await recordsOf(start.action_id)).toEqual([expect.objectContaining({ state: 'failed', error, sends: 1 })]);
    const finished = { kind: 'finished', result: { success: false, status: null, error } };
    expect(await log().recordUnsent(start, error)).toEqual(finished);
  });

  test('whose claim could not be written is written completely at the end', async () => {
    const start = aStart({ message_id: null });
    await log().complete(start, FAILURE);
    await log().complete(start, FAILURE);
    expect(await recordsOf(start.action_id)).toEqual([
      expect.objectContaining({ payload: start.payload, trigger: 'event', state: 'failed', status: 503, sends: 1 }),
    ]);
    const Key = { pk: partitionOf(start.action_id, start.reference), sk: `${start.at}#event-1#1` };
    const { Item } = await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }));
    expect(Item?.expires_at).toBeGreaterThan(0);
  });

  test('expires after the retention', async () => {
    const start = aStart();
    await log().claim(start);
    const Key = { pk: partitionOf(start.action_id, start.reference), sk: `${start.at}#event-1#1` };
    const { Item } = await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }));
    expect(Item?.expires_at).toBe(Math.floor(clock.now().getTime() / 1000) + 30 * 24 * 3600);
  });
});

describe('a payload', () => {
  const found = async (start: AttemptStart) => {
    const Key = { pk: partitionOf(start.action_id, start.reference), sk: `${start.at}#event-1#1` };
    const { Item } = await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }));
    const [record] = await recordsOf(start.action_id);
    return { item: Item ?? {}, record };
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
    ['refusal of what was cut off', 1, (start) => log().recordUnsent(start, REFUSAL)],
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

  test('of an attempt without a claim is written at the end of the attempt', async () => {
    const [completed, refused] = [aStart({ message_id: null }), aStart()];
    await log().complete(completed, SUCCESS);
    await log().recordUnsent(refused, REFUSAL);
    expect((await found(completed)).record).toMatchObject({ payload: completed.payload, success: true });
    expect((await found(refused)).record).toMatchObject({ payload: refused.payload, sends: 0 });
  });

  test('of an attempt without a queue message is written before the request, because no queue keeps it', async () => {
    const start = aStart({ message_id: null });
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

  test('that is cut ends with a complete code point', async () => {
    const noise = Array.from(randomBytes(300 * 1024), (byte) => String.fromCodePoint(0x1f300 + byte)).join('');
    const { record } = await stored(`x${noise}`);
    expect(record?.payload_cut).toBe(true);
    expect([...(record?.payload ?? '')]).toHaveLength(50_000);
    expect(record?.payload?.isWellFormed()).toBe(true);
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
    for (const reference of events.slice(0, 5)) {
      const found = await eventAttempts(tables.client, tables.sorted, action_id, reference, { at: aStart().at });
      expect(found.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    }
    expect(await keysOf(action_id)).toEqual(keys);
  });

  test('are listed together, newest first', async () => {
    const { action_id } = aStart();
    const starts = Array.from({ length: 250 }, (_, index) =>
      aStart({
        action_id,
        reference: `event-${index}`,
        at: new Date(Date.UTC(2026, 2, 4, 5, 0, index)).toISOString(),
      }),
    );
    await Promise.all(starts.map((start) => log().claim(start)));
    const listed = (await recordsOf(action_id)).map(({ reference }) => reference);
    expect(listed).toEqual(starts.map(({ reference }) => reference).reverse());
    for (const { reference, at } of starts.slice(0, 4)) {
      expect(await eventAttempts(tables.client, tables.sorted, action_id, reference, { at })).toHaveLength(1);
      const window = { from: '2026-03-04T00:00:00Z', to: '2026-03-05T00:00:00Z' };
      expect(await eventAttempts(tables.client, tables.sorted, action_id, reference, window)).toHaveLength(1);
    }
    const since: string[] = [];
    for await (const { reference } of deliveryRecords(tables.client, tables.sorted, action_id, starts[247]?.at)) {
      since.push(reference);
    }
    expect(since).toEqual(['event-249', 'event-248', 'event-247']);
  });
});

describe('the records of an Action', () => {
  test('are sorted by event time and then by attempt, the newest first', async () => {
    const { action_id } = aStart();
    const starts = [
      aStart({ action_id, at: '2026-03-04T05:06:00Z', reference: 'a', attempt: 1 }),
      aStart({ action_id, at: '2026-03-04T05:06:00Z', reference: 'a', attempt: 2 }),
      aStart({ action_id, at: '2026-03-04T05:06:00Z', reference: 'a', attempt: 3 }),
      aStart({ action_id, at: '2026-03-04T05:07:00Z', reference: 'b', attempt: 1 }),
      aStart({ action_id, at: '2026-03-05T00:00:00Z', reference: 'c', attempt: 1 }),
    ];
    for (const start of [...starts].reverse()) await log().claim(start);
    expect((await recordsOf(action_id)).map(({ reference, attempt }) => `${reference}${attempt}`)).toEqual([
      'c1',
      'b1',
      'a3',
      'a2',
      'a1',
    ]);
  });

  test('exclude events before a given time', async () => {
    const { action_id } = aStart();
    for (const at of ['2026-03-04T05:06:00Z', '2026-03-04T05:07:00Z']) await log().claim(aStart({ action_id, at }));
    const found: string[] = [];
    for await (const { event_time } of deliveryRecords(
      tables.client,
      tables.sorted,
      action_id,
      '2026-03-04T05:07:00.000Z',
    )) {
      found.push(event_time);
    }
    expect(found).toEqual(['2026-03-04T05:07:00Z']);
  });

  test('are all read over several pages, without records of other Actions', async () => {
    const { action_id } = aStart();
    await log().claim(aStart());
    const payload = randomBytes(100_000).toString('base64');
    await atOnce(20, (i) => log().claim(aStart({ action_id, reference: `event-${i}`, payload })));
    const records = await recordsOf(action_id);
    expect(records).toHaveLength(20);
    expect(new Set(records.map((record) => record.action_id))).toEqual(new Set([action_id]));
  });

  test('are empty for an Action without records', async () => {
    expect(await recordsOf('act_nobody')).toEqual([]);
  });
});
