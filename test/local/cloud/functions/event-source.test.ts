import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EventSource, type QueueMessage } from '../../../../local/cloud/functions/event-source.ts';
import type { EventSourceDefinition } from '../../../../local/cloud/template/model.ts';

const definition: EventSourceDefinition = {
  logicalId: 'Source',
  EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
  FunctionName: 'function',
  BatchSize: 10,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  ScalingConfig: { MaximumConcurrency: 5 },
};

/** A function that succeeds at once, in environments of which one is always free. */
const ALWAYS_FREE = {
  concurrency: 1,
  acquire: async () => ({}),
  run: async () => ({ failed: false, payload: 'null' }),
  release: () => {},
  isStuck: () => false,
  anotherIsFree: () => true,
  exchangeForSlowest: <Environment>(environment: Environment) => environment,
};

const fail = (error: string): never => {
  throw new Error(error);
};

test('receives as many messages as the pace allows, and none while the pace allows none', async () => {
  let allowed = 0;
  let waiting = 5;
  const batches: number[] = [];
  const source = new EventSource({
    definition,
    pace: { admit: () => allowed, ended: () => {} },
    queue: {
      check: () => {},
      arrival: async () => {
        if (waiting === 0) await pause(5);
        return waiting > 0;
      },
      addition: () => pause(5),
      receive: (max) => Array.from({ length: Math.min(max, waiting) }, () => message(`message-${waiting--}`)),
      delete: async (handles) => void batches.push(handles.length),
    },
    pool: ALWAYS_FREE,
    onError: fail,
  });
  source.start();
  await pause(100);
  expect(waiting).toBe(5);
  allowed = 2;
  while (batches.length < 3) await pause(5);
  expect(batches).toEqual([2, 2, 1]);
  await source.stop();
});

test('a source keeps nothing of the times it has waited', async () => {
  const TIMES = 20_000;
  let waits = 0;
  const source = new EventSource({
    definition,
    pace: { admit: () => 10, ended: () => {} },
    queue: {
      check: () => {},
      arrival: async () => {
        waits += 1;
        await (waits > TIMES ? pause(5) : undefined);
        return false;
      },
      addition: () => pause(5),
      receive: () => [],
      delete: async () => {},
    },
    pool: ALWAYS_FREE,
    onError: fail,
  });
  const before = usedBytes();
  source.start();
  while (waits <= TIMES) await pause(5);
  const kept = usedBytes() - before;
  await source.stop();
  expect(kept / TIMES).toBeLessThan(100);
});

test.each([
  ['for messages', { arrives: false, allowed: 10 }],
  ['for the pace', { arrives: true, allowed: 0 }],
])('a source stops while it waits %s', async (_, { arrives, allowed }) => {
  const source = new EventSource({
    definition,
    pace: { admit: () => allowed, ended: () => {} },
    queue: {
      check: () => {},
      arrival: () => (arrives ? Promise.resolve(true) : new Promise(() => {})),
      addition: () => pause(5),
      receive: () => [],
      delete: async () => {},
    },
    pool: ALWAYS_FREE,
    onError: fail,
  });
  source.start();
  await pause(5);
  await source.stop();
});

test('takes a message as soon as it is added while only others wait that may not be taken', async () => {
  const ready: string[] = [];
  let added = () => {};
  let looks = 0;
  const deleted: string[] = [];
  const source = new EventSource({
    definition,
    pace: { admit: () => 10, ended: () => {} },
    queue: {
      check: () => {},
      arrival: async () => true,
      addition: () =>
        new Promise((resolve) => {
          added = resolve;
        }),
      receive: () => {
        looks += 1;
        return ready.splice(0).map(message);
      },
      delete: async (handles) => void deleted.push(...handles),
    },
    pool: ALWAYS_FREE,
    onError: fail,
  });
  source.start();
  await pause(50);
  expect(looks).toBe(1);
  ready.push('added');
  added();
  while (deleted.length === 0) await pause(1);
  expect(deleted).toEqual(['added']);
  await source.stop();
});

test('tells the queue which messages wait for an endpoint that hangs, and takes more of them only in an environment that no others need', async () => {
  const waiting = ['hangs', 'next', 'last'];
  const received: { readonly slow: readonly string[]; readonly maySlow: boolean }[] = [];
  const environments = ['first', 'second', 'third'];
  const used: string[] = [];
  const done = { failed: false, payload: 'null' };
  let answer = () => {};
  const hangs = new Promise<typeof done>((resolve) => {
    answer = () => resolve(done);
  });
  const source = new EventSource<string>({
    definition,
    pace: { admit: () => 1, ended: () => {} },
    queue: {
      check: () => {},
      arrival: async () => {
        if (waiting.length === 0) await pause(5);
        return waiting.length > 0;
      },
      addition: () => pause(5),
      receive: (max, { slow, maySlow }) => {
        received.push({ slow: [...slow], maySlow: slow.size > 0 && maySlow() });
        return waiting.splice(0, max).map(message);
      },
      delete: async () => {},
    },
    pool: {
      concurrency: 5,
      acquire: async () => environments.shift(),
      run: async (environment) => {
        used.push(environment);
        return environment === 'first' ? hangs : done;
      },
      release: () => {},
      isStuck: (environment) => environment === 'first',
      anotherIsFree: () => environments.length > 0,
      exchangeForSlowest: () => 'slow',
    },
    onError: fail,
  });
  source.start();
  while (received.length < 3) await pause(5);
  expect(received).toEqual([
    { slow: [], maySlow: false },
    { slow: ['hangs'], maySlow: true },
    { slow: ['hangs'], maySlow: false },
  ]);
  expect(used).toEqual(['first', 'slow', 'third']);
  answer();
  await source.stop();
});

/** Returns the bytes that are in use after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const message = (id: string): QueueMessage => ({ MessageId: id, ReceiptHandle: id, Body: '{}', MD5OfBody: '' });
