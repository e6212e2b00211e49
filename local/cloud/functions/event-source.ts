import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../access/callers.ts';
import { REGION } from '../account.ts';
import { messageOf } from '../cloud-error.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { isList, isObject, type JsonObject, parseObject } from '../json.ts';
import type { EventSourceDefinition } from '../template/model.ts';
import type { FunctionPool } from './function-pool.ts';

type EventSourceOptions = {
  readonly definition: EventSourceDefinition;
  readonly queueUrl: string;
  readonly pool: FunctionPool;
  readonly caller: Caller;
  readonly gateway: Gateway;
  readonly onError: (message: string) => void;
};

const LONG_POLL_S = 20;
/** Polling goes on after an error: a permission may be all that is missing from a working machine. */
const ERROR_PAUSE_MS = 5_000;

type Message = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly MD5OfMessageAttributes?: string;
  readonly Attributes?: JsonObject;
  readonly MessageAttributes?: JsonObject;
};

/**
 * Feeds a function from a queue as Lambda does: in batches, with the rights of the function's role, several at a time. What
 * succeeded is deleted; what failed comes back when its visibility timeout is over, and ends in the dead-letter queue.
 */
export class EventSource {
  readonly #options: EventSourceOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #loop: Promise<void> | undefined;
  #reported: string | undefined;

  constructor(options: EventSourceOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#poll();
  }

  /** Takes no new messages. Those in work are cut off: their visibility timeout brings them back. */
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
    const stopped = new Promise<undefined>((resolve) => {
      this.#abort.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    while (!this.#abort.signal.aborted) {
      if (this.#running.size >= this.#concurrency) {
        await Promise.race([...this.#running, stopped]);
        continue;
      }
      try {
        const messages = await Promise.race([this.#receive(), stopped]);
        if (messages === undefined || messages.length === 0) continue;
        const batch = this.#handle(messages).finally(() => this.#running.delete(batch));
        this.#running.add(batch);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        this.#report(messageOf(error));
        await sleep(ERROR_PAUSE_MS, undefined, { signal: this.#abort.signal }).catch(() => {});
      }
    }
  }

  async #receive(): Promise<Message[]> {
    const { Messages } = await this.#call('ReceiveMessage', {
      MaxNumberOfMessages: this.#options.definition.BatchSize,
      WaitTimeSeconds: LONG_POLL_S,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return Array.isArray(Messages) ? Messages : [];
  }

  async #handle(messages: readonly Message[]): Promise<void> {
    const { definition, pool } = this.#options;
    const event = JSON.stringify({ Records: messages.map((message) => recordOf(message, definition.EventSourceArn)) });
    const result = await pool.invoke(event);
    if (result.failed) return;
    const failed = failedItems(result.payload, messages);
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId));
    if (done.length === 0) return;
    try {
      await this.#call('DeleteMessageBatch', {
        Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      });
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#report(messageOf(error));
    }
  }

  #call(operation: string, parameters: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    const { gateway, caller, queueUrl } = this.#options;
    return gateway.callJson('sqs', caller, `AmazonSQS.${operation}`, { QueueUrl: queueUrl, ...parameters });
  }

  /** Once for each problem: a missing permission is printed as a denial anyway. */
  #report(message: string): void {
    if (message === this.#reported) return;
    this.#reported = message;
    this.#options.onError(message);
  }
}

/** Asks what Lambda asks when the mapping is created. @throws ServiceError when the role may not read the queue */
export async function checkEventSource({ gateway, caller, queueUrl }: EventSourceOptions): Promise<void> {
  await gateway.callJson('sqs', caller, 'AmazonSQS.GetQueueAttributes', {
    QueueUrl: queueUrl,
    AttributeNames: ['All'],
  });
}

/** A message as a function sees it. */
function recordOf(message: Message, queueArn: string): JsonObject {
  const { MD5OfMessageAttributes: md5 } = message;
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        isObject(value) ? lowerFirst(value) : value,
      ]),
    ),
    md5OfBody: message.MD5OfBody,
    ...(md5 === undefined ? {} : { md5OfMessageAttributes: md5 }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

const lowerFirst = (value: JsonObject): JsonObject => ({
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
