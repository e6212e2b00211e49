import { setTimeout as sleep } from 'node:timers/promises';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import { isList, isObject, type JsonObject, parseObject } from '../json.ts';
import type { EventSourceDefinition } from '../template/model.ts';
import type { InvocationResult } from './function-worker.ts';
import type { Pace } from './pace.ts';

/** The queue of an event source. The function's role makes the calls, which throw when the role does not allow them. */
export type SourceQueue = {
  /** Makes the calls of Lambda at the creation of the mapping. Never throws. */
  check(): void;
  /** Resolves with true as soon as messages wait, and with false after some time without messages. */
  arrival(): Promise<boolean>;
  /** Resolves when another message is added, and after a short time without one. */
  addition(): Promise<void>;
  /** Receives the waiting messages, at most `max`. */
  receive(max: number, options: ReceiveOptions): readonly QueueMessage[];
  /** @param receiptHandles up to ten */
  delete(receiptHandles: readonly string[]): Promise<void>;
};

export type ReceiveOptions = {
  /** Chooses no message of a noisy or slow message group. */
  readonly quietOnly: boolean;
  /** Is called when messages of a slow group are next. False leaves them in the queue. */
  readonly maySlow: () => boolean;
  /** Receipt handles of the messages in flight that wait for an endpoint that hangs. */
  readonly slow: ReadonlySet<string>;
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
  /** Whether the environment waits for an endpoint that hangs. */
  isStuck(environment: Environment): boolean;
  /** Whether another environment is free. Otherwise one is added after some time, if possible. */
  anotherIsFree(): boolean;
  /** Exchanges the environment for the slowest one that is free. */
  exchangeForSlowest(environment: Environment): Environment;
};

type EventSourceOptions<Environment> = {
  readonly definition: EventSourceDefinition;
  readonly queue: SourceQueue;
  readonly pool: SourceFunction<Environment>;
  /** Shared by all event sources. */
  readonly pace: Pick<Pace, 'admit' | 'ended'>;
  readonly onError: (message: string) => void;
};

/** Milliseconds before the next poll after an error. */
const ERROR_PAUSE_MS = 5_000;

/** The pause before the next check while the pace allows no batch. */
const PACE_PAUSE_MS = 20;

/** One of this many places of a function is reserved for messages of quiet groups, which then need not wait. */
const QUIET_SHARE = 4;

/**
 * Invokes a function with the messages of a queue as Lambda does: in batches, with the permissions of the function's role, several at a
 * time. Successful messages are deleted. Failed messages are visible again after the visibility timeout, and finally move to the
 * dead-letter queue.
 */
export class EventSource<Environment> {
  readonly #options: EventSourceOptions<Environment>;
  readonly #running = new Map<Promise<void>, { environment: Environment; messages: readonly QueueMessage[] }>();
  readonly #abort = new AbortController();
  #loop: Promise<void> | undefined;
  /** Ends what the loop waits for. */
  #wake = () => {};
  #reported: string | undefined;

  constructor(options: EventSourceOptions<Environment>) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#poll();
  }

  /** Receives no further messages. Messages in flight are cut off, and are visible again at the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  get #concurrency(): number {
    const { definition, pool } = this.#options;
    return Math.min(definition.ScalingConfig.MaximumConcurrency, pool.concurrency);
  }

  async #poll(): Promise<void> {
    const { queue, pool } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        const waiting = await this.#orStopped(queue.arrival());
        if (this.#abort.signal.aborted) return;
        if (waiting !== true) continue;
        if (this.#options.pace.admit() === 0) {
          await this.#orStopped(sleep(PACE_PAUSE_MS));
          continue;
        }
        // Messages that the function cannot process yet stay in the queue, where their order may still change.
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

  /** Returns true when messages were processed. */
  #take(environment: Environment): boolean {
    const { definition, queue, pool, pace } = this.#options;
    const most = Math.min(definition.BatchSize, pace.admit());
    const concurrency = this.#concurrency;
    const free = concurrency - this.#running.size;
    const kept = Math.floor(concurrency / QUIET_SHARE);
    let messages: readonly QueueMessage[] = [];
    let areSlow = false;
    try {
      if (free > 0 && most > 0) {
        messages = queue.receive(most, {
          quietOnly: free <= kept,
          // Messages of quiet groups need not wait for the start of an environment.
          maySlow: () => {
            areSlow = pool.anotherIsFree();
            return areSlow;
          },
          slow: this.#slow(),
        });
      }
    } finally {
      if (messages.length === 0) pool.release(environment);
    }
    if (messages.length === 0) return false;
    const used = areSlow ? pool.exchangeForSlowest(environment) : environment;
    const batch = this.#handle(used, messages).finally(() => this.#running.delete(batch));
    this.#running.set(batch, { environment: used, messages });
    return true;
  }

  /**
   * Resolves like the promise, or with undefined when the source stops. Promise.race with one promise for the whole life of the source
   * would keep every race in memory.
   */
  #orStopped<Value>(promise: Promise<Value>): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      if (this.#abort.signal.aborted) this.#wake();
      promise.then(resolve, reject);
    });
  }

  /** The receipt handles of the messages in environments that wait for an endpoint that hangs. */
  #slow(): ReadonlySet<string> {
    const stuck = [...this.#running.values()].filter(({ environment }) => this.#options.pool.isStuck(environment));
    return new Set(stuck.flatMap(({ messages }) => messages.map(({ ReceiptHandle }) => ReceiptHandle)));
  }

  /** Waits until a batch ends or another message is added, while only messages wait that may not be taken now. */
  async #change(): Promise<void> {
    await this.#orStopped(Promise.race([...this.#running.keys(), this.#options.queue.addition()]));
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

/** Returns a message as a function receives it. */
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
 * Returns the messages that a function reports as failed. Like Lambda, reads nothing, null and an empty list as no failure, and an
 * invalid report as the failure of all messages.
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
