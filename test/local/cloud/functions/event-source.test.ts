import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReceivedMessage } from '../../../../local/cloud/engines/sqs.ts';
import { EventSource } from '../../../../local/cloud/functions/event-source.ts';
import type { Resource } from '../../../../local/cloud/template/stack.ts';

const mapping = (MaximumConcurrency: number): Resource<'AWS::Lambda::EventSourceMapping'> => ({
  logicalId: 'Source',
  ref: 'Source',
  arn: 'Source',
  properties: {
    EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
    FunctionName: 'function',
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency },
  },
});
const definition = mapping(5);

const DONE = { failed: false, payload: 'null' };
const runOf = (result: Promise<typeof DONE>) => ({ begun: Promise.resolve(), result });

/** A function that succeeds at once and has always a place. */
const ALWAYS_FREE = {
  atOnce: 5,
  ready: async () => {},
  place: async () => ({ run: () => runOf(Promise.resolve(DONE)), leave: () => {} }),
};

const fail = (error: string): never => {
  throw new Error(error);
};

test('a source keeps nothing of the times it has waited', async () => {
  const TIMES = 5000;
  let waits = 0;
  const source = new EventSource({
    definition,
    queue: {
      arrival: async () => {
        waits += 1;
        await (waits > TIMES ? pause(5) : undefined);
        return false;
      },
      addition: () => pause(5),
      receive: () => [],
      delete: async () => {},
    },
    ...ALWAYS_FREE,
    onError: fail,
  });
  const before = usedBytes();
  source.start();
  while (waits <= TIMES) await pause(5);
  const kept = usedBytes() - before;
  await source.stop();
  expect(kept / TIMES).toBeLessThan(100);
});

test('a source stops while it waits for messages', async () => {
  const source = new EventSource({
    definition,
    queue: {
      arrival: () => new Promise(() => {}),
      addition: () => pause(5),
      receive: () => [],
      delete: async () => {},
    },
    ...ALWAYS_FREE,
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
    queue: {
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
    ...ALWAYS_FREE,
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

test('runs as many batches at once as the definition allows, and the last quarter of the places takes only messages of quiet groups', async () => {
  const received: boolean[] = [];
  const running: (() => void)[] = [];
  let left = 0;
  const source = new EventSource({
    definition: mapping(8),
    queue: {
      arrival: async () => true,
      addition: () => pause(5),
      receive: (_, quietOnly) => {
        received.push(quietOnly);
        return [message(`message-${received.length}`)];
      },
      delete: async () => {},
    },
    atOnce: 64,
    ready: async () => {},
    place: async () => ({
      run: () =>
        runOf(
          new Promise((resolve) => {
            running.push(() => resolve(DONE));
          }),
        ),
      leave: () => {
        left += 1;
      },
    }),
    onError: fail,
  });
  source.start();
  while (left === 0) await pause(1);
  expect(received).toEqual([false, false, false, false, false, false, true, true]);
  const stopped = source.stop();
  for (const end of running) end();
  await stopped;
});

test('a batch begins when the one before has begun and the cloud is ready, and not when it has ended', async () => {
  const steps: string[] = [];
  let [begin, makeReady] = [() => {}, () => {}];
  const source = new EventSource({
    definition,
    queue: {
      arrival: async () => true,
      addition: () => pause(5),
      receive: () => {
        steps.push('receive');
        return [message(`message-${steps.length}`)];
      },
      delete: async () => {},
    },
    atOnce: 64,
    ready: () => {
      steps.push('ready?');
      return new Promise((resolve) => {
        makeReady = resolve;
      });
    },
    place: async () => ({
      run: () => ({
        begun: new Promise<void>((resolve) => {
          begin = resolve;
        }),
        result: steps.length < 4 ? new Promise(() => {}) : Promise.resolve(DONE),
      }),
      leave: () => {},
    }),
    onError: fail,
  });
  source.start();
  await pause(5);
  expect(steps).toEqual(['ready?']);
  makeReady();
  await pause(5);
  expect(steps).toEqual(['ready?', 'receive']);
  begin();
  await pause(5);
  expect(steps).toEqual(['ready?', 'receive', 'ready?']);
  makeReady();
  await pause(5);
  expect(steps).toEqual(['ready?', 'receive', 'ready?', 'receive']);
  void source.stop();
});

/** Returns the bytes that are in use after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const message = (id: string): ReceivedMessage => ({ MessageId: id, ReceiptHandle: id, Body: '{}', MD5OfBody: '' });
