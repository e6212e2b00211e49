import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeliveryMessage } from '../../contract/queues.ts';

/** SQS limits: entries per batch, and bytes of one message and of all messages of a batch together. */
const BATCH_ENTRIES = 10;
const BATCH_MAX_BYTES = 1024 * 1024;

const SEND_TRIES = 3;

/** One client per container. */
export function sqsClient(): SQSClient {
  return new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}

/** The queue of attempts. The group id is the Action, so that one that hangs does not delay the others (SQS fair queues). */
export function deliveriesQueue(client: SQSClient, queueUrl: string) {
  const send = async (batch: readonly SendMessageBatchRequestEntry[]): Promise<void> => {
    let entries = [...batch];
    for (let attempt = 1; entries.length > 0; attempt++) {
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
      const failed = new Set(Failed.map((entry) => entry.Id));
      entries = entries.filter((entry) => failed.has(entry.Id));
      if (entries.length > 0 && attempt === SEND_TRIES) {
        throw new Error(`SQS refused ${entries.length} deliveries: ${Failed[0]?.Code}`);
      }
    }
  };

  return {
    /** Sends all messages, or throws. Those that no SQS message can hold are returned. */
    send: async (messages: readonly DeliveryMessage[]): Promise<{ readonly tooLarge: readonly DeliveryMessage[] }> => {
      const { batches, tooLarge } = batchesOf(messages);
      await Promise.all(batches.map(send));
      return { tooLarge };
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

/** Splits by count and by bytes, keeping the order. */
export function batchesOf(messages: readonly DeliveryMessage[]): {
  readonly batches: readonly (readonly SendMessageBatchRequestEntry[])[];
  readonly tooLarge: readonly DeliveryMessage[];
} {
  const batches: SendMessageBatchRequestEntry[][] = [];
  const tooLarge: DeliveryMessage[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  messages.forEach((message, index) => {
    const body = JSON.stringify(message);
    const size = Buffer.byteLength(body);
    if (size > BATCH_MAX_BYTES) {
      tooLarge.push(message);
      return;
    }
    const current = batches.at(-1);
    const entry = { Id: String(index), MessageBody: body, MessageGroupId: message.action_id };
    if (current === undefined || current.length === BATCH_ENTRIES || bytes + size > BATCH_MAX_BYTES) {
      batches.push([entry]);
      bytes = size;
    } else {
      current.push(entry);
      bytes += size;
    }
  });
  return { batches, tooLarge };
}
