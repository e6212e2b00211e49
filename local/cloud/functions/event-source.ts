import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Authorizer, Caller } from '../access/authorizer.ts';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { demandOf } from '../gateway.ts';
import { parseObject } from '../json.ts';
import type { Queues, ReceivedMessage } from '../services/sqs.ts';
import type { Resource } from '../template/stack.ts';
import type { InvocationResult } from './execution-environment.ts';
import type { LambdaFunction } from './lambda-function.ts';

export type SourceQueue = ReturnType<typeof sourceQueue>;

/** Seconds after which a wait for messages is repeated: the longest wait that SQS permits. */
const LONG_POLL_S = 20;

/**
 * Returns the queue of an event source. The function's role makes the calls, which are checked like its others, and throw when the role
 * does not allow them. What the creation of the mapping needs and the role does not allow is recorded as a denial; the mapping then
 * stands still, as it would in AWS.
 */
export function sourceQueue(
  { arn: resource, ref: url }: Resource<'AWS::SQS::Queue'>,
  caller: Caller,
  { authorizer, queues }: { readonly authorizer: Authorizer; readonly queues: Queues },
) {
  const demand = demandOf(authorizer, caller);
  authorizer.check(caller, { action: 'sqs:GetQueueAttributes', resource });
  return {
    /** Resolves with true as soon as messages wait, and with false after some time without messages. */
    arrival: () => queues.arrival(url, LONG_POLL_S),
    /** Receives the waiting messages, at most `max`. @param quietOnly chooses no message of a noisy group */
    receive(max: number, quietOnly: boolean) {
      demand('sqs:ReceiveMessage', resource);
      return queues.receive(url, max, quietOnly);
    },
    /** @param receiptHandles up to ten */
    delete(receiptHandles: readonly string[]) {
      demand('sqs:DeleteMessage', resource);
      queues.delete(url, receiptHandles);
    },
  };
}

type EventSourceOptions = {
  readonly definition: Resource<'AWS::Lambda::EventSourceMapping'>;
  readonly queue: SourceQueue;
  /** How many batches run at once, besides the limit of the definition. */
  readonly atOnce: number;
  readonly begin: LambdaFunction['begin'];
  /** Resolves when the rest of the cloud is ready for another batch. */
  readonly ready: () => Promise<void>;
  readonly onError: (message: string) => void;
};

/** Milliseconds before the next poll after an error, and while only messages wait that may not be taken now. */
const PAUSE_MS = { error: 5_000, full: 20 } as const;
/** One of this many places of a function is reserved for messages of quiet groups, which then need not wait. */
const QUIET_SHARE = 4;

/**
 * Invokes a function with the messages of a queue as Lambda does: in batches, with the permissions of the function's role, several at a
 * time. Successful messages are deleted. Failed messages are visible again after the visibility timeout, and finally move to the
 * dead-letter queue.
 */
export function eventSource({ definition, queue, atOnce, begin, ready, onError }: EventSourceOptions) {
  const { BatchSize, EventSourceArn, ScalingConfig } = definition.properties;
  const concurrency = Math.min(ScalingConfig.MaximumConcurrency, atOnce);
  const runningBatches = new Set<Promise<void>>();
  const abort = new AbortController();
  const { signal } = abort;
  let loop: Promise<void> | undefined;
  /** Ends what the loop waits for. */
  let wake = () => {};
  let lastProblem: string | undefined;

  /** Tells a problem when it begins, and not each time it is met again. */
  const report = (problem: string): void => {
    if (problem !== lastProblem) onError(problem);
    lastProblem = problem;
  };

  /** Undefined when the source stops. Promise.race with one promise for its whole life would keep every race. */
  const orStopped = <Value>(promise: Promise<Value>): Promise<Value | undefined> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(undefined);
      if (signal.aborted) wake();
      promise.then(resolve, reject);
    });

  /** Receives the messages that may be received now. The last places are for messages of quiet groups. */
  const receive = (): readonly ReceivedMessage[] => {
    const free = concurrency - runningBatches.size;
    if (free <= 0 || signal.aborted) return [];
    return queue.receive(BatchSize, free <= Math.floor(concurrency / QUIET_SHARE));
  };

  const handle = async (invocationEnd: Promise<InvocationResult>, messages: readonly ReceivedMessage[]) => {
    const { hasFailed, payload } = await invocationEnd;
    if (hasFailed) return;
    const failures = failedItems(payload, messages);
    const successes = messages.filter(({ MessageId }) => !failures.has(MessageId));
    try {
      queue.delete(successes.map(({ ReceiptHandle }) => ReceiptHandle));
    } catch (error) {
      if (!signal.aborted) report(messageOf(error));
    }
  };

  /** Runs the next batch. Resolves when the function has begun with it, or to false when only messages wait that may not be taken now. */
  const next = async (): Promise<boolean> => {
    if ((await orStopped(queue.arrival())) !== true) return true;
    await orStopped(ready());
    let messages: readonly ReceivedMessage[] = [];
    // Messages that the function cannot process yet stay in the queue, where their order may still change.
    const run = await begin(() => {
      messages = receive();
      if (messages.length === 0) return undefined;
      return JSON.stringify({ Records: messages.map((message) => recordOf(message, EventSourceArn)) });
    });
    if (run === undefined) return false;
    const batch = handle(run.result, messages).finally(() => runningBatches.delete(batch));
    runningBatches.add(batch);
    // A batch that has not begun has made none of the calls that `ready` counts.
    await orStopped(run.begin);
    return true;
  };

  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!(await next())) await sleep(PAUSE_MS.full, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        report(messageOf(error));
        await sleep(PAUSE_MS.error, undefined, { signal }).catch(() => {});
      }
    }
  };

  return {
    start: (): void => {
      loop ??= poll();
    },
    /** Receives no further messages. Messages in flight are cut off, and are visible again at the next start. */
    stop: async (): Promise<void> => {
      abort.abort();
      wake();
      await loop;
      await Promise.all(runningBatches);
    },
  };
}

function recordOf(message: ReceivedMessage, queueArn: string): object {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

const batchReport = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() });

/** Like Lambda, reads nothing, null and an empty list as no failure, and an invalid report as the failure of all. */
export function failedItems(payload: string, messages: readonly { readonly MessageId: string }[]): Set<string> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  if (payload === 'null' || payload === '""') return new Set();
  const { data } = batchReport.safeParse(parseObject(payload));
  const failedIds = data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  return data === undefined || !failedIds.every((id) => all.has(id)) ? all : new Set(failedIds);
}
