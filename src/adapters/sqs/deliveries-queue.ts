import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { type DeliveryMessage, messageText } from '../../contract/queues.ts';
import type { DeliveriesQueue } from '../../domain/context.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { batchesOf, inBatches } from '../batching.ts';

/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH = { entries: 10, bytes: 1024 * 1024 };

/** How often, without a pause, a message is sent that SQS refuses in an otherwise accepted batch. Then it has failed. */
const SEND_ATTEMPTS = 3;

/**
 * Full batches of an organization that are sent at the same time. A batch has up to one megabyte and needs several times that while it is
 * signed and sent. One event can have fifty batches: of 700 kB each, they need 42 MB over idle in three at once, and 91 MB all at once
 * (24 November 2026, medians of three).
 */
const FULL_BATCHES_AT_ONCE = 3;

/** A message that is to be sent, and the seconds until SQS delivers it. A message without a delay is delivered at once. */
type Outgoing = { readonly message: DeliveryMessage; readonly delaySeconds?: number };
type Outcome = 'sent' | 'too_large';
/** A message, what settles its sender's promise, and its size and text. */
type Entry = Outgoing &
  PromiseWithResolvers<Outcome> & {
    /** Infinite when it has no text. The promise of one that SQS does not take is settled. */
    readonly bytes: number;
    readonly text: () => string;
  };

/** Sets the seconds from now until SQS may deliver a received message again. */
export type HideFor = (receiptHandle: string, seconds: number) => Promise<void>;

export const messageHiding =
  (client: SQSClient, QueueUrl: string): HideFor =>
  async (ReceiptHandle, VisibilityTimeout) => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  };

/**
 * Creates the deliveries queue. The group id is the Action, so that a slow endpoint does not delay other Actions (SQS fair queues).
 * The messages of one turn of the event loop share calls, because SQS bills calls. Each has its own outcome.
 */
export function deliveriesQueue(client: SQSClient, QueueUrl: string): DeliveriesQueue {
  /** Settles all entries and never throws. */
  const sendBatch = async (batch: readonly Entry[]): Promise<void> => {
    let entriesLeft = batch;
    try {
      for (let attempt = 1; entriesLeft.length > 0; attempt++) {
        const Entries = entriesLeft.map(({ message, delaySeconds, text }, index) => ({
          Id: String(index),
          MessageBody: text(),
          MessageGroupId: message.action_id,
          DelaySeconds: delaySeconds,
        }));
        const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        const codes = new Map(Failed.map(({ Id, Code }) => [Id, Code]));
        for (const [index, { resolve, reject }] of entriesLeft.entries()) {
          if (!codes.has(String(index))) resolve('sent');
          else if (attempt === SEND_ATTEMPTS)
            reject(new ServiceError(`SQS refused a delivery: ${codes.get(String(index))}`));
        }
        entriesLeft = attempt === SEND_ATTEMPTS ? [] : entriesLeft.filter((_, index) => codes.has(String(index)));
      }
    } catch (cause) {
      // One of the messages may be why SQS refused the call.
      if (entriesLeft.length > 1 && isRefusal(cause)) for (const one of entriesLeft) await sendBatch([one]);
      else for (const { reject } of entriesLeft) reject(cause);
    }
  };

  const sendOneAfterAnother = async (batches: Iterable<readonly Entry[]>) => {
    for (const batch of batches) await sendBatch(batch);
  };

  const sendOne = inBatches((deliveries: readonly Outgoing[]): readonly Promise<Outcome>[] => {
    const entries = entriesOf(deliveries);
    const sendable = entries.filter(({ bytes }) => bytes <= BATCH.bytes);
    /** The messages that do not fill a batch of their organization share one with those of others, and wait for no full batch. */
    const sharedEntries: Entry[] = [];
    for (const own of Map.groupBy(sendable, ({ message }) => message.envelope.org_id).values()) {
      const batches = batchesOf(own, BATCH);
      sharedEntries.push(...(batches.at(-1) ?? []));
      // Each lane takes the next batch that no other lane has taken.
      const full = batches.slice(0, -1).values();
      for (let lane = 0; lane < FULL_BATCHES_AT_ONCE; lane++) void sendOneAfterAnother(full);
    }
    for (const batch of batchesOf(sharedEntries, BATCH)) void sendBatch(batch);
    return entries.map(({ promise }) => promise);
  });

  return {
    send: async (messages) => {
      const sending = messages.map((message) => sendOne({ message }));
      await Promise.allSettled(sending);
      const outcomes = await Promise.all(sending);
      return { tooLarge: messages.filter((_, index) => outcomes[index] === 'too_large') };
    },

    sendLater: async (message, delaySeconds) => {
      if ((await sendOne({ message, delaySeconds })) === 'too_large')
        throw new ServiceError('The message is too large for SQS');
    },
  };
}

/** Returns whether SQS refused the call because of what is in it. The client repeats a call that SQS refused for another reason, such as its rate. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof SQSServiceException && cause.$fault === 'client' && cause.$metadata.attempts === 1;

/**
 * Measures messages, and settles those that are too large or have no text. Fifty Actions may receive the same envelope of a megabyte, so each
 * envelope is converted to text once, and the text of a message is assembled when it is sent: the same as messageText of the message. For
 * 200 kB to fifty Actions this needs 92 ms of CPU instead of 134, for 1 kB it makes no difference (24 November 2026, medians of three).
 */
function entriesOf(deliveries: readonly Outgoing[]): readonly Entry[] {
  const envelopes = new Map<DeliveryMessage['envelope'], string>();
  const textOf = ({ envelope, ...rest }: DeliveryMessage): string => {
    const text = envelopes.get(envelope) ?? messageText(envelope);
    envelopes.set(envelope, text);
    return `${messageText(rest).slice(0, -1)},"envelope":${text}}`;
  };
  return deliveries.map((one) => {
    const outcome = Promise.withResolvers<Outcome>();
    const text = () => textOf(one.message);
    try {
      const bytes = Buffer.byteLength(text());
      if (bytes > BATCH.bytes) outcome.resolve('too_large');
      return { ...one, ...outcome, text, bytes };
    } catch (cause) {
      outcome.reject(cause);
      return { ...one, ...outcome, text, bytes: Number.POSITIVE_INFINITY };
    }
  });
}
