import { setTimeout as sleep } from 'node:timers/promises';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { isList, isObject, type JsonObject, parseObject } from '../json.ts';
import type { EventSourceDefinition } from '../template/model.ts';
import type { InvocationResult } from './function-worker.ts';
import type { Pace } from './pace.ts';

/** The queue of an event source, in the name of the function's role. What the role does not allow throws. */
export type SourceQueue = {
  /** Asks what Lambda asks when the mapping is created; never throws. */
  check(): void;
  /** Resolves with true as soon as messages wait, with false after a while without any. */
  arrival(): Promise<boolean>;
  /** What is there now, at most `max`. @param quietOnly nothing of a message group that has much in work already */
  receive(max: number, quietOnly: boolean): readonly QueueMessage[];
  /** @param receiptHandles up to ten */
  delete(receiptHandles: readonly string[]): Promise<void>;
};

export type QueueMessage = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly MD5OfMessageAttributes?: string;
  readonly Attributes?: JsonObject;
  readonly MessageAttributes?: Readonly<Record<string, object>>;
};

/** The function of an event source. It runs in environments that have one invocation at a time. */
export type SourceFunction<Environment> = {
  readonly concurrency: number;
  /** Resolves with undefined when the cloud stops. */
  acquire(): Promise<Environment | undefined>;
  /** Runs an invocation and releases the environment. */
  run(environment: Environment, event: string): Promise<InvocationResult>;
  release(environment: Environment): void;
};

type EventSourceOptions<Environment> = {
  readonly definition: EventSourceDefinition;
  readonly queue: SourceQueue;
  readonly pool: SourceFunction<Environment>;
  /** Shared by all event sources. */
  readonly pace: Pick<Pace, 'admit' | 'ended'>;
  readonly onError: (message: string) => void;
};

/** Polling goes on after an error: a permission may be all that is missing from a working machine. */
const ERROR_PAUSE_MS = 5_000;

/** The pause before the next check while the pace allows no batch. */
const PACE_PAUSE_MS = 20;

/** One in so many places of a function is kept for messages of quiet groups, so that those find a place at once. */
const QUIET_SHARE = 4;

/**
 * Feeds a function from a queue as Lambda does: in batches, with the rights of the function's role, several at a time. What
 * succeeded is deleted; what failed comes back when its visibility timeout is over, and ends in the dead-letter queue.
 */
export class EventSource<Environment> {
  readonly #options: EventSourceOptions<Environment>;
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #stopped: Promise<void>;
  #loop: Promise<void> | undefined;
  #reported: string | undefined;

  constructor(options: EventSourceOptions<Environment>) {
    this.#options = options;
    this.#stopped = new Promise((resolve) => {
      this.#abort.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  start(): void {
    this.#loop ??= this.#poll();
  }

  /** Takes no new messages. Those in work are cut off: they are there again at the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }

  get #concurrency(): number {
    const { definition, pool } = this.#options;
    return Math.min(definition.ScalingConfig.MaximumConcurrency, pool.concurrency);
  }

  async #poll(): Promise<void> {
    const { queue, pool } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        const waiting = await Promise.race([queue.arrival(), this.#stopped]);
        if (this.#abort.signal.aborted) return;
        if (waiting !== true) continue;
        if (this.#options.pace.admit() === 0) {
          await Promise.race([sleep(PACE_PAUSE_MS), this.#stopped]);
          continue;
        }
        // What cannot be worked on yet stays in the queue, where its order may still change.
        const environment = await pool.acquire();
        if (environment === undefined) return;
        if (!this.#take(environment)) await this.#change();
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        this.#report(messageOf(error));
        await sleep(ERROR_PAUSE_MS, undefined, { signal: this.#abort.signal }).catch(() => {});
      }
    }
  }

  /** Whether there was something to work on. */
  #take(environment: Environment): boolean {
    const { definition, queue, pool, pace } = this.#options;
    const most = Math.min(definition.BatchSize, pace.admit());
    const concurrency = this.#concurrency;
    const free = concurrency - this.#running.size;
    const kept = Math.floor(concurrency / QUIET_SHARE);
    let messages: readonly QueueMessage[] = [];
    try {
      if (free > 0 && most > 0) messages = queue.receive(most, free <= kept);
    } finally {
      if (messages.length === 0) pool.release(environment);
    }
    if (messages.length === 0) return false;
    const batch = this.#handle(environment, messages).finally(() => this.#running.delete(batch));
    this.#running.add(batch);
    return true;
  }

  /** Only messages of noisy groups wait, and they have their share of the function: until a batch ends or another message comes. */
  async #change(): Promise<void> {
    await Promise.race([...this.#running, sleep(20), this.#stopped]);
  }

  async #handle(environment: Environment, messages: readonly QueueMessage[]): Promise<void> {
    const { definition, queue, pool, pace } = this.#options;
    const event = JSON.stringify({ Records: messages.map((message) => recordOf(message, definition.EventSourceArn)) });
    const result = await pool.run(environment, event);
    pace.ended();
    if (result.failed) return;
    const failed = failedItems(result.payload, messages);
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId));
    if (done.length === 0) return;
    try {
      await queue.delete(done.map(({ ReceiptHandle }) => ReceiptHandle));
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#report(messageOf(error));
    }
  }

  /** Once for each problem: a missing permission is printed as a denial anyway. */
  #report(message: string): void {
    if (message === this.#reported) return;
    this.#reported = message;
    this.#options.onError(message);
  }
}

/** A message as a function sees it. */
function recordOf(message: QueueMessage, queueArn: string): object {
  const { MD5OfMessageAttributes: md5 } = message;
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, lowerFirst(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    ...(md5 === undefined ? {} : { md5OfMessageAttributes: md5 }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

const lowerFirst = (value: object): object => ({
  stringListValues: [],
  binaryListValues: [],
  ...Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name.charAt(0).toLowerCase() + name.slice(1), field]),
  ),
});

/**
 * The messages that a function reports as failed. Nothing, null or an empty list means none; anything that is not a proper
 * report means all of them, as Lambda reads it.
 */
export function failedItems(payload: string, messages: readonly { readonly MessageId: string }[]): Set<string> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  if (payload === 'null' || payload === '""') return new Set();
  const response = parseObject(payload);
  if (response === undefined) return all;
  const failures = response.batchItemFailures;
  if (failures === undefined || failures === null) return new Set();
  if (!isList(failures)) return all;
  const ids = failures.map((failure) => (isObject(failure) ? failure.itemIdentifier : undefined));
  if (!ids.every((id) => typeof id === 'string' && all.has(id))) return all;
  return new Set(ids.map(String));
}
