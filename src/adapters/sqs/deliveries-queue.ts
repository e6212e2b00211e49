import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { DeliveryMessage } from '../../contract/queues.ts';
import { batchesOf } from '../batches.ts';
import { messageText } from '../message-text.ts';
import { together } from '../together.ts';

/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH = { entries: 10, bytes: 1024 * 1024 };

const SEND_ATTEMPTS = 3;

/**
 * Limit of concurrent batches of an execution environment. A batch has up to one megabyte and needs several times that while it is
 * signed and sent. Ten events can have five hundred batches.
 */
const BATCHES_AT_ONCE = 6;

/** A message that is to be sent, and the seconds until SQS delivers it. A message without a delay is delivered at once. */
type Outgoing = { readonly message: DeliveryMessage; readonly delaySeconds?: number };
type Outcome = 'sent' | 'too_large';
type Entry = Outgoing & PromiseWithResolvers<Outcome> & { readonly bytes: number };

/**
 * Creates the deliveries queue. The group id is the Action, so that a slow endpoint does not delay other Actions (SQS fair queues).
 * The messages of one turn of the event loop share calls, because SQS bills calls. Each has its own outcome.
 */
export function deliveriesQueue(client: SQSClient, queueUrl: string) {
  const inTurn = fairTurns<string | undefined>(BATCHES_AT_ONCE);

  /** Settles all entries and never throws. */
  const sendBatch = async (batch: readonly Entry[], textOf: (message: DeliveryMessage) => string): Promise<void> => {
    let left = batch;
    try {
      for (let attempt = 1; left.length > 0; attempt++) {
        const Entries = left.map(({ message, delaySeconds }, index) => ({
          Id: String(index),
          MessageBody: textOf(message),
          MessageGroupId: message.action_id,
          ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
        }));
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
        const codes = new Map(Failed.map(({ Id, Code }) => [Id, Code]));
        for (const [index, { resolve, reject }] of left.entries()) {
          if (!codes.has(String(index))) resolve('sent');
          else if (attempt === SEND_ATTEMPTS) reject(new Error(`SQS refused a delivery: ${codes.get(String(index))}`));
        }
        left = attempt === SEND_ATTEMPTS ? [] : left.filter((_, index) => codes.has(String(index)));
      }
    } catch (cause) {
      // One of the messages may be why SQS refused the call.
      if (left.length > 1 && isRefusal(cause)) for (const one of left) await sendBatch([one], textOf);
      else for (const { reject } of left) reject(cause);
    }
  };

  /** Messages that do not fill a batch of their organization share one with those of others. */
  const sendAll = (outgoing: readonly Outgoing[]): readonly Promise<Outcome>[] => {
    const bodies = messageBodies();
    const entries = outgoing.map((one): Entry => {
      const settled = Promise.withResolvers<Outcome>();
      let bytes = 0;
      try {
        bytes = bodies.bytes(one.message);
        if (bytes > BATCH.bytes) settled.resolve('too_large');
      } catch (cause) {
        settled.reject(cause);
      }
      return { ...one, ...settled, bytes };
    });
    const sendable = entries.filter(({ bytes }) => bytes > 0 && bytes <= BATCH.bytes);
    const shared: Entry[] = [];
    for (const [orgId, own] of Map.groupBy(sendable, ({ message }) => message.envelope.org_id)) {
      const batches = batchesOf(own, BATCH);
      shared.push(...(batches.at(-1) ?? []));
      for (const batch of batches.slice(0, -1)) void inTurn(orgId, () => sendBatch(batch, bodies.text));
    }
    for (const batch of batchesOf(shared, BATCH)) void inTurn(undefined, () => sendBatch(batch, bodies.text));
    return entries.map(({ promise }) => promise);
  };
  const sendOne = together(sendAll);

  return {
    /**
     * Sends all messages. Returns those that are too large for SQS.
     * @throws Error when a message could not be sent, after the others were sent
     */
    send: async (messages: readonly DeliveryMessage[]): Promise<{ readonly tooLarge: readonly DeliveryMessage[] }> => {
      const sending = messages.map((message) => sendOne({ message }));
      await Promise.allSettled(sending);
      const outcomes = await Promise.all(sending);
      return { tooLarge: messages.filter((_, index) => outcomes[index] === 'too_large') };
    },

    /**
     * Sends a message that SQS delivers after a delay of at most 900 seconds.
     * @throws Error when the message is too large or could not be sent
     */
    sendLater: async (message: DeliveryMessage, delaySeconds: number): Promise<void> => {
      if ((await sendOne({ message, delaySeconds })) === 'too_large')
        throw new Error('The message is too large for SQS');
    },

    /** Sets the seconds from now until SQS may deliver a received message again. */
    hideFor: async (receiptHandle: string, seconds: number): Promise<void> => {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },
  };
}

/** Returns whether SQS refused the call because of what is in it. The client repeats a call that SQS refused for another reason, such as its rate. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof SQSServiceException && cause.$fault === 'client' && cause.$metadata.attempts === 1;

/**
 * Limits how many tasks run at the same time; the others wait. The next task is one of the owner with the fewest running tasks, so that
 * an owner with hundreds of tasks does not delay the others.
 */
export function fairTurns<Owner>(atOnce: number) {
  type Waiting = { readonly owner: Owner; readonly start: () => void };
  const running = new Map<Owner, number>();
  let total = 0;
  let waiting: readonly Waiting[] = [];
  const change = (owner: Owner, by: number) => {
    total += by;
    const count = (running.get(owner) ?? 0) + by;
    if (count === 0) running.delete(owner);
    else running.set(owner, count);
  };
  const runningOf = ({ owner }: Waiting) => running.get(owner) ?? 0;

  return async <T>(owner: Owner, work: () => Promise<T>): Promise<T> => {
    if (total < atOnce) change(owner, 1);
    else {
      await new Promise<void>((start) => {
        waiting = [...waiting, { owner, start }];
      });
    }
    try {
      return await work();
    } finally {
      change(owner, -1);
      const [first, ...others] = waiting;
      if (first !== undefined) {
        const next = others.reduce((best, one) => (runningOf(one) < runningOf(best) ? one : best), first);
        waiting = waiting.filter((one) => one !== next);
        change(next.owner, 1);
        next.start();
      }
    }
  };
}

/**
 * Writes the bodies of messages that share envelopes. Fifty Actions may receive the same envelope of a megabyte, so each envelope is
 * converted to text once. A body is assembled when it is sent; it is the same text as messageText of the message.
 */
export function messageBodies() {
  const envelopes = new Map<DeliveryMessage['envelope'], { readonly text: string; readonly bytes: number }>();
  const written = ({ envelope }: DeliveryMessage) => {
    let known = envelopes.get(envelope);
    if (known === undefined) {
      const text = messageText(envelope);
      known = { text, bytes: Buffer.byteLength(text) };
      envelopes.set(envelope, known);
    }
    return known;
  };
  const around = ({ envelope: _, ...rest }: DeliveryMessage) => messageText(rest).slice(0, -1);
  return {
    /** @throws Error when the message cannot be written as JSON, for example because it is nested too deeply */
    text: (message: DeliveryMessage): string => `${around(message)},"envelope":${written(message).text}}`,
    /** @throws as `text` */
    bytes: (message: DeliveryMessage): number =>
      Buffer.byteLength(around(message)) + ',"envelope":}'.length + written(message).bytes,
  };
}
