import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { DeliveryMessage } from '../../contract/queues.ts';

/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH_ENTRIES = 10;
const BATCH_MAX_BYTES = 1024 * 1024;

const SEND_ATTEMPTS = 3;

/**
 * Limit of concurrent batches for all events of an invocation. A batch has up to one megabyte and needs several times that while it is
 * signed and sent. One invocation can have three hundred batches.
 */
const BATCHES_AT_ONCE = 6;

/** The result of sending the messages of one event. */
export type Sent = { readonly tooLarge: readonly DeliveryMessage[] };

/** Messages that were not sent, and the cause. */
type Unsent = { readonly messages: readonly DeliveryMessage[]; readonly cause?: unknown };

/** Seconds until SQS delivers a message. A message without a delay is delivered at once. */
type Delays = ReadonlyMap<DeliveryMessage, number>;

type Later = {
  readonly message: DeliveryMessage;
  readonly delaySeconds: number;
  readonly sent: () => void;
  readonly failed: (cause: unknown) => void;
};

/** Creates the deliveries queue. The group id is the Action, so that a slow endpoint does not delay other Actions (SQS fair queues). */
export function deliveriesQueue(client: SQSClient, queueUrl: string) {
  const inTurn = fairTurns(BATCHES_AT_ONCE);

  const send = async (
    batch: readonly DeliveryMessage[],
    textOf: (one: DeliveryMessage) => string,
    delays: Delays,
  ): Promise<Unsent> => {
    let left = batch.map((message, index) => {
      const DelaySeconds = delays.get(message);
      const entry = { Id: String(index), MessageBody: textOf(message), MessageGroupId: message.action_id };
      return { message, entry: DelaySeconds === undefined ? entry : { ...entry, DelaySeconds } };
    });
    const unsent = (cause: unknown): Unsent => ({ messages: left.map(({ message }) => message), cause });
    for (let attempt = 1; ; attempt++) {
      const Entries = left.map(({ entry }) => entry);
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries })).catch(unsent);
      if ('messages' in answer) return answer;
      const { Failed = [] } = answer;
      const failed = new Set(Failed.map(({ Id }) => Id));
      left = left.filter(({ entry }) => failed.has(entry.Id));
      if (left.length === 0) return { messages: [] };
      if (attempt === SEND_ATTEMPTS)
        return unsent(new Error(`SQS refused ${left.length} deliveries: ${Failed[0]?.Code}`));
    }
  };

  /**
   * Sends the messages of several events in few calls: messages that do not fill a batch share one with other events. Each event has its
   * own outcome. It is fulfilled when all its messages were sent, except those that are too large for SQS, which it returns. When SQS
   * refuses a message, the messages of other events are still sent.
   */
  const sendTogether = async (
    events: readonly (readonly DeliveryMessage[])[],
    delays: Delays = new Map(),
  ): Promise<readonly PromiseSettledResult<Sent>[]> => {
    const bodies = messageBodies();
    const splits = events.map((messages) => batchesOf(messages, bodies.bytes));
    const eventOf = new Map(events.flatMap((messages) => messages.map((message) => [message, messages])));

    const perform = async (batch: readonly DeliveryMessage[]): Promise<readonly Unsent[]> => {
      const parts = [...Map.groupBy(batch, (message) => eventOf.get(message))];
      const [[owner = events] = []] = parts;
      const unsent = await inTurn(parts.length === 1 ? owner : events, () => send(batch, bodies.text, delays));
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

  let later: Later[] = [];
  const sendAllLater = async () => {
    const all = later;
    later = [];
    const delays = new Map(all.map(({ message, delaySeconds }) => [message, delaySeconds]));
    try {
      const outcomes = await sendTogether(
        all.map(({ message }) => [message]),
        delays,
      );
      for (const [index, { sent, failed }] of all.entries()) {
        const outcome = outcomes[index];
        if (outcome?.status !== 'fulfilled') failed(outcome?.reason);
        else if (outcome.value.tooLarge.length > 0) failed(new Error('The message is too large for SQS'));
        else sent();
      }
    } catch (cause) {
      for (const { failed } of all) failed(cause);
    }
  };

  return {
    sendTogether,

    /** Sends all messages. Returns those that are too large for SQS. @throws Error when a message could not be sent */
    send: async (messages: readonly DeliveryMessage[]): Promise<Sent> => {
      const [outcome] = await sendTogether([messages]);
      if (outcome?.status === 'rejected') throw outcome.reason;
      return outcome?.value ?? { tooLarge: [] };
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

    /**
     * Sends a message that SQS delivers after a delay of at most 900 seconds. The messages of one turn of the event loop share calls,
     * because the attempts of a batch often fail at the same time. @throws Error when the message is too large or could not be sent
     */
    sendLater: (message: DeliveryMessage, delaySeconds: number): Promise<void> =>
      new Promise((sent, failed) => {
        if (later.length === 0) setImmediate(sendAllLater);
        later.push({ message, delaySeconds, sent, failed });
      }),
  };
}

/** Returns whether SQS refused the call itself, so that one of its messages may be the cause. */
const isRefusal = (cause: unknown): boolean => cause instanceof SQSServiceException && cause.$fault === 'client';

/**
 * Writes the bodies of messages that share envelopes. Fifty Actions may receive the same envelope of a megabyte, so each envelope is
 * converted to text once. A body is assembled when it is sent; it is the same text as JSON.stringify of the message.
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

/** Splits messages into batches by number and size, in their order. */
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
 * Limits how many tasks run at the same time; the others wait. The next task is one of the owner with the fewest running tasks, so that
 * an event with hundreds of batches does not delay the events of other organizations.
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
