import { type ServiceInputTypes, SQSClient } from '@aws-sdk/client-sqs';
import { memoryClients } from './memory-clients.ts';
import type { MakeCall } from './tables.ts';

export type QueueMessage = {
  readonly id: string;
  readonly body: string;
  /** How many times the message was received. */
  receives: number;
  /** Milliseconds. */
  visibleAt: number;
  /** Changes with each receive: only the latest receipt can hide a message. */
  receipt: string;
};

export type QueueOptions = {
  /** Milliseconds. */
  readonly now: () => number;
  readonly visibilitySeconds: number;
  /** Receives after which a message becomes a dead letter. */
  readonly maxReceives: number;
  /** Short text for a body, for the steps of a schedule. @default the body */
  readonly describe?: (body: string) => string;
};

/**
 * A standard queue in memory. It delivers at least once and in any order. The test test/service/fakes/queue.test.ts makes the same calls
 * here and on an engine of SQS and compares the results.
 */
export class MemoryQueue {
  readonly deadLetters: QueueMessage[] = [];
  readonly #options: QueueOptions;
  #messages: QueueMessage[] = [];
  #count = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  describe(body: string): string {
    return this.#options.describe?.(body) ?? body;
  }

  get messages(): readonly QueueMessage[] {
    return this.#messages;
  }

  send(body: string, delaySeconds = 0): QueueMessage {
    const id = `m${++this.#count}`;
    const message = { id, body, receives: 0, visibleAt: this.#options.now() + delaySeconds * 1000, receipt: '' };
    this.#messages.push(message);
    return message;
  }

  /** Returns the messages that can be received, after those with too many receives became dead letters. */
  visible(): readonly QueueMessage[] {
    const now = this.#options.now();
    const visible = this.#messages.filter(({ visibleAt }) => visibleAt <= now);
    const dead = visible.filter(({ receives }) => receives >= this.#options.maxReceives);
    if (dead.length === 0) return visible;
    this.deadLetters.push(...dead);
    this.#messages = this.#messages.filter((one) => !dead.includes(one));
    return visible.filter((one) => !dead.includes(one));
  }

  /** Receives a message. @param hiddenSeconds fewer than the queue's visibility timeout when it is delivered twice, as SQS may */
  receive(message: QueueMessage, hiddenSeconds = this.#options.visibilitySeconds): QueueMessage {
    message.receives += 1;
    message.receipt = `${message.id} ${message.receives}`;
    message.visibleAt = this.#options.now() + hiddenSeconds * 1000;
    return { ...message };
  }

  delete(receipt: string): void {
    const [id] = receipt.split(' ');
    this.#messages = this.#messages.filter((one) => one.id !== id);
  }

  hide(receipt: string, seconds: number): void {
    const message = this.#messages.find((one) => one.receipt === receipt);
    // SQS refuses the receipt of a message that was deleted, or received again since.
    if (message === undefined) throw new Error(`The queue has no message with the receipt ${receipt}`);
    message.visibleAt = this.#options.now() + seconds * 1000;
  }
}

/** Gives AWS's client whose calls a queue in memory answers. */
export const memorySqsClient = memoryClients<ServiceInputTypes, SQSClient>((settings) => new SQSClient(settings));

/**
 * Returns the answers of a queue to calls that send and hide messages.
 * @param refused tells whether the queue refuses one message of a batch
 */
export const answersOf =
  (queue: MemoryQueue, make: MakeCall, refused: () => boolean) =>
  (input: ServiceInputTypes): Promise<object> => {
    if ('Entries' in input) {
      const entries = (input.Entries ?? []).filter((one) => 'MessageBody' in one);
      return make(
        () =>
          `send ${entries.map(({ MessageBody, DelaySeconds = 0 }) => `${queue.describe(MessageBody ?? '')} in ${DelaySeconds} s`).join(', ')}`,
        () => {
          const Failed: { readonly Id: string | undefined; readonly Code: string }[] = [];
          for (const { Id, MessageBody = '', DelaySeconds } of entries) {
            if (refused()) Failed.push({ Id, Code: 'ServiceUnavailable' });
            else queue.send(MessageBody, DelaySeconds);
          }
          return { Failed };
        },
        true,
      );
    }
    if (!('VisibilityTimeout' in input)) throw new Error('The fake does not know this call');
    const { ReceiptHandle = '', VisibilityTimeout: seconds = 0 } = { ReceiptHandle: '', ...input };
    return make(
      `hide ${ReceiptHandle} for ${seconds} s`,
      () => {
        queue.hide(String(ReceiptHandle), Number(seconds));
        return {};
      },
      true,
    );
  };
