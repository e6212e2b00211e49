import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventSource, type SourceQueue } from '../../../../../local/cloud/functions/event-source.ts';
import type { Run } from '../../../../../local/cloud/functions/lambda-function.ts';
import type { ReceivedMessage } from '../../../../../local/cloud/services/sqs.ts';
import { until } from '../../../../harness/until.ts';

const DONE = { hasFailed: false, payload: 'null' };

/** Creates a source of a queue whose messages wait, and of a function that always has room and succeeds at once, except for `options`. */
function sourceOf(
  queue: Partial<SourceQueue>,
  options: { readonly concurrency?: number; readonly ready?: () => Promise<void>; readonly run?: () => Run } = {},
): ReturnType<typeof eventSource> {
  const { concurrency = 5, ready = async () => {} } = options;
  const { run = () => ({ begin: Promise.resolve(), result: Promise.resolve(DONE) }) } = options;
  return eventSource({
    definition: {
      logicalId: 'Source',
      ref: 'Source',
      arn: 'Source',
      properties: {
        EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
        FunctionName: 'function',
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: concurrency },
      },
    },
    queue: { arrival: async () => true, receive: () => [], delete: () => {}, ...queue },
    atOnce: 64,
    ready,
    begin: async (next) => (next() === undefined ? undefined : run()),
    onError: (error) => {
      throw new Error(error);
    },
  });
}

const message = (id: string): ReceivedMessage => ({ MessageId: id, ReceiptHandle: id, Body: '{}', MD5OfBody: '' });

test('a source keeps nothing of the times it has waited', async () => {
  const TIMES = 5000;
  let waits = 0;
  const source = sourceOf({
    arrival: async () => {
      waits += 1;
      await (waits > TIMES ? pause(5) : undefined);
      return false;
    },
  });
  const before = usedBytes();
  source.start();
  while (waits <= TIMES) await pause(5);
  const kept = usedBytes() - before;
  await source.stop();
  expect(kept / TIMES).toBeLessThan(100);
});

test('a source stops while it waits for messages', async () => {
  const source = sourceOf({ arrival: () => new Promise(() => {}) });
  source.start();
  await nextTurn();
  await source.stop();
});

test('runs as many batches at once as the definition allows, and the last quarter of the places takes only messages of quiet groups', async () => {
  const received: boolean[] = [];
  const { promise: result, resolve: end } = Promise.withResolvers<typeof DONE>();
  const receive = (_: number, quietOnly: boolean) => {
    received.push(quietOnly);
    return [message(`message-${received.length}`)];
  };
  const source = sourceOf({ receive }, { concurrency: 8, run: () => ({ begin: Promise.resolve(), result }) });
  source.start();
  await until(() => received.length >= 8);
  await nextTurn();
  expect(received).toEqual([false, false, false, false, false, false, true, true]);
  end(DONE);
  await source.stop();
});

test('a batch begins when the one before has begun and the cloud is ready, and not when it has ended', async () => {
  const steps: string[] = [];
  let [begin, makeReady] = [() => {}, () => {}];
  const receive = () => {
    steps.push('receive');
    return [message(`message-${steps.length}`)];
  };
  const ready = () => {
    steps.push('ready?');
    const { promise, resolve } = Promise.withResolvers<void>();
    makeReady = resolve;
    return promise;
  };
  const run = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begin = resolve;
    return { begin: promise, result: steps.length < 4 ? new Promise<never>(() => {}) : Promise.resolve(DONE) };
  };
  const source = sourceOf({ receive }, { ready, run });
  source.start();
  const expected = ['ready?', 'receive', 'ready?', 'receive'];
  for (const [index, next] of [() => {}, () => makeReady(), () => begin(), () => makeReady()].entries()) {
    next();
    await nextTurn();
    expect(steps).toEqual(expected.slice(0, index + 1));
  }
  void source.stop();
});

/** Returns the bytes that are in use after a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
