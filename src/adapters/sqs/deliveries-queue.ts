import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { DeliveryMessage } from '../../contract/queues.ts';

/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH_ENTRIES = 10;
const BATCH_MAX_BYTES = 1024 * 1024;

const SEND_TRIES = 3;

/**
 * Of all events in work. A batch is a megabyte at most, and several times that while it is signed and sent; a batch of events
 * can make three hundred of them.
 */
const BATCHES_AT_ONCE = 6;

/** Of the messages of one event. */
export type Sent = { readonly tooLarge: readonly DeliveryMessage[] };

/** Messages that were not sent, and why. */
type Unsent = { readonly messages: readonly DeliveryMessage[]; readonly cause?: unknown };

/** The queue of attempts. The group id is the Action, so that one that hangs does not delay the others (SQS fair queues). */
export function deliveriesQueue(client: SQSClient, queueUrl: string) {
  const inTurn = fairTurns(BATCHES_AT_ONCE);

  const send = async (batch: readonly DeliveryMessage[], textOf: (one: DeliveryMessage) => string): Promise<Unsent> => {
    let left = batch.map((message, index) => ({
      message,
      entry: { Id: String(index), MessageBody: textOf(message), MessageGroupId: message.action_id },
    }));
    const unsent = (cause: unknown): Unsent => ({ messages: left.map(({ message }) => message), cause });
    for (let attempt = 1; ; attempt++) {
      const Entries = left.map(({ entry }) => entry);
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries })).catch(unsent);
      if ('messages' in answer) return answer;
      const { Failed = [] } = answer;
      const failed = new Set(Failed.map(({ Id }) => Id));
      left = left.filter(({ entry }) => failed.has(entry.Id));
      if (left.length === 0) return { messages: [] };
      if (attempt === SEND_TRIES) return unsent(new Error(`SQS refused ${left.length} deliveries: ${Failed[0]?.Code}`));
    }
  };

  /**
   * Sends the messages of several events in few calls: what fills no call of its own goes with that of other events. Each event has its own
   * outcome: fulfilled when all of its messages were sent but those that no SQS message can hold, which are returned. A message that
   * SQS refuses takes those of no other event with it.
   */
  const sendTogether = async (
    events: readonly (readonly DeliveryMessage[])[],
  ): Promise<readonly PromiseSettledResult<Sent>[]> => {
    const bodies = messageBodies();
    const splits = events.map((messages) => batchesOf(messages, bodies.bytes));
    const eventOf = new Map(events.flatMap((messages) => messages.map((message) => [message, messages])));

    const perform = async (batch: readonly DeliveryMessage[]): Promise<readonly Unsent[]> => {
      const parts = [...Map.groupBy(batch, (message) => eventOf.get(message))];
      const [[owner = events] = []] = parts;
      const unsent = await inTurn(parts.length === 1 ? owner : events, () => send(batch, bodies.text));
      if (parts.length === 1 || !isRefusal(unsent.cause)) return [unsent];
      return (await Promise.all(parts.map(([, part]) => perform(part)))).flat();
    };

    const full = splits.flatMap(({ batches }) => batches.slice(0, -1));
    const rest = splits.flatMap(({ batches }) => batches.at(-1) ?? []);
    const causes = new Map(
      (await Promise.all([...full, ...batchesOf(rest, bodies.bytes).batches].map(perform)))
        .flat()
        .flatMap(({ messages, cause }) => messages.map((message) => [eventOf.get(message), cause])),
    );
    return splits.map(({ tooLarge }, index) =>
      causes.has(events[index])
        ? { status: 'rejected', reason: causes.get(events[index]) }
        : { status: 'fulfilled', value: { tooLarge } },
    );
  };

  return {
    sendTogether,

    /** Sends all messages, or throws. Those that no SQS message can hold are returned. */
    send: async (messages: readonly DeliveryMessage[]): Promise<Sent> => {
      const [outcome] = await sendTogether([messages]);
      if (outcome?.status === 'rejected') throw outcome.reason;
      return outcome?.value ?? { tooLarge: [] };
    },

    /** For so many seconds from now a message that was received is not handed out again. */
    hideFor: async (receiptHandle: string, seconds: number): Promise<void> => {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      );
    },

    sendLater: async (message: DeliveryMessage, delaySeconds: number): Promise<void> => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(message),
          MessageGroupId: message.action_id,
          DelaySeconds: delaySeconds,
        }),
      );
    },
  };
}

/** SQS understood the call and does not take it, so that one of its messages may be the reason. */
const isRefusal = (cause: unknown): boolean => cause instanceof SQSServiceException && cause.$fault === 'client';

/**
 * Bodies of messages whose envelopes are shared: fifty Actions may get the same megabyte, which is written out once. A body is
 * put together when it is sent, and the same text as JSON.stringify of the message.
 */
function messageBodies() {
  const envelopes = new Map<DeliveryMessage['envelope'], { readonly text: string; readonly bytes: number }>();
  const written = ({ envelope }: DeliveryMessage) => {
    let known = envelopes.get(envelope);
    if (known === undefined) {
      const text = JSON.stringify(envelope);
      known = { text, bytes: Buffer.byteLength(text) };
      envelopes.set(envelope, known);
    }
    return known;
  };
  const around = ({ envelope: _, ...rest }: DeliveryMessage) => JSON.stringify(rest).slice(0, -1);
  return {
    text: (message: DeliveryMessage): string => `${around(message)},"envelope":${written(message).text}}`,
    bytes: (message: DeliveryMessage): number =>
      Buffer.byteLength(around(message)) + ',"envelope":}'.length + written(message).bytes,
  };
}

/** Splits by count and by bytes, keeping the order. */
export function batchesOf(
  messages: readonly DeliveryMessage[],
  bytesOf: (message: DeliveryMessage) => number,
): {
  readonly batches: readonly (readonly DeliveryMessage[])[];
  readonly tooLarge: readonly DeliveryMessage[];
} {
  const batches: DeliveryMessage[][] = [];
  const tooLarge: DeliveryMessage[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = bytesOf(message);
    const current = batches.at(-1);
    if (size > BATCH_MAX_BYTES) {
      tooLarge.push(message);
    } else if (current === undefined || current.length === BATCH_ENTRIES || bytes + size > BATCH_MAX_BYTES) {
      batches.push([message]);
      bytes = size;
    } else {
      current.push(message);
      bytes += size;
    }
  }
  return { batches, tooLarge };
}

/**
 * Lets so many pieces of work run side by side; the others wait. Whoever has fewest running is next, so that an event that makes
 * hundreds of batches does not keep those of other organizations waiting.
 */
export function fairTurns(atOnce: number) {
  type Waiting = { readonly owner: object; readonly start: () => void };
  const running = new Map<object, number>();
  let total = 0;
  let waiting: readonly Waiting[] = [];
  const change = (owner: object, by: number) => {
    total += by;
    const count = (running.get(owner) ?? 0) + by;
    if (count === 0) running.delete(owner);
    else running.set(owner, count);
  };
  const runningOf = ({ owner }: Waiting) => running.get(owner) ?? 0;

  return async <T>(owner: object, work: () => Promise<T>): Promise<T> => {
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
