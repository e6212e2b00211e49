import { setTimeout as sleep } from 'node:timers/promises';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import type { ReceivedMessage } from '../engines/sqs.ts';
import { isList, isObject, parseObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import type { LambdaFunction } from './lambda-function.ts';
import type { InvocationResult } from './messages.ts';

/** The queue of an event source. The function's role makes the calls, which throw when the role does not allow them. */
export type SourceQueue = {
  /** Resolves with true as soon as messages wait, and with false after some time without messages. */
  arrival(): Promise<boolean>;
  /** Resolves when another message is added, and after a short time without one. */
  addition(): Promise<void>;
  /** Receives the waiting messages, at most `max`. @param quietOnly chooses no message of a noisy group */
  receive(max: number, quietOnly: boolean): readonly ReceivedMessage[];
  /** @param receiptHandles up to ten */
  delete(receiptHandles: readonly string[]): Promise<void>;
};

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

/** Milliseconds before the next poll after an error. */
const ERROR_PAUSE_MS = 5_000;

/** One of this many places of a function is reserved for messages of quiet groups, which then need not wait. */
const QUIET_SHARE = 4;

/**
 * Invokes a function with the messages of a queue as Lambda does: in batches, with the permissions of the function's role, several at a
 * time. Successful messages are deleted. Failed messages are visible again after the visibility timeout, and finally move to the
 * dead-letter queue.
 */
export class EventSource {
  readonly #options: EventSourceOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #loop: Promise<void> | undefined;
  /** Ends what the loop waits for. */
  #wake = () => {};
  #reported: string | undefined;

  constructor(options: EventSourceOptions) {
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
    await Promise.all(this.#running);
  }

  async #poll(): Promise<void> {
    const { queue, begin, ready } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        const waiting = await this.#orStopped(queue.arrival());
        if (this.#abort.signal.aborted) return;
        if (waiting !== true) continue;
        await this.#orStopped(ready());
        let messages: readonly ReceivedMessage[] = [];
        // Messages that the function cannot process yet stay in the queue, where their order may still change.
        const run = await begin(() => {
          messages = this.#receive();
          return messages.length === 0 ? undefined : this.#eventOf(messages);
        });
        if (run === undefined) {
          await this.#change();
          continue;
        }
        const batch = this.#handle(run.result, messages).finally(() => this.#running.delete(batch));
        this.#running.add(batch);
        // A batch that has not begun has made none of the calls that `ready` counts.
        await this.#orStopped(run.begun);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        this.#report(messageOf(error));
        await sleep(ERROR_PAUSE_MS, undefined, { signal: this.#abort.signal }).catch(() => {});
      }
    }
  }

  /** Receives the messages that may be received now. The last places are for messages of quiet groups. */
  #receive(): readonly ReceivedMessage[] {
    const { queue, definition, atOnce } = this.#options;
    const { BatchSize, ScalingConfig } = definition.properties;
    const concurrency = Math.min(ScalingConfig.MaximumConcurrency, atOnce);
    const free = concurrency - this.#running.size;
    if (free <= 0 || this.#abort.signal.aborted) return [];
    return queue.receive(BatchSize, free <= Math.floor(concurrency / QUIET_SHARE));
  }

  #eventOf(messages: readonly ReceivedMessage[]): string {
    const { EventSourceArn } = this.#options.definition.properties;
    return JSON.stringify({ Records: messages.map((message) => recordOf(message, EventSourceArn)) });
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

  /** Waits until a batch ends or another message is added, while only messages wait that may not be taken now. */
  async #change(): Promise<void> {
    await this.#orStopped(Promise.race([...this.#running, this.#options.queue.addition()]));
  }

  async #handle(ended: Promise<InvocationResult>, messages: readonly ReceivedMessage[]): Promise<void> {
    const { queue } = this.#options;
    const result = await ended;
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
function recordOf(message: ReceivedMessage, queueArn: string): object {
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
