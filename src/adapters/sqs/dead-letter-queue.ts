import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { ORIGINAL_MESSAGE_ID } from '../../contract/queues.ts';

type DeadLetter = {
  /** Id of the message that first became a dead letter. */
  readonly message_id: string;
  /** When it was sent to the source queue, by EventBridge to this one, or by the last redrive, in ISO 8601. */
  readonly sent_at: string;
  readonly body: string;
  readonly group: string | undefined;
  readonly receipt: string;
};

/** Limit of messages in one call of SQS. */
const BATCH = 10;
/** Long enough to inspect some thousands of messages. After an interrupted run, its messages stay invisible for this time. */
const HIDDEN_SECONDS = 300;

/**
 * Creates access to a dead-letter queue and its source queue. The message move task of SQS gives every message a new id, so that the message would
 * not match its earlier claim on an attempt. Therefore this code sends each message back with its original id as an attribute.
 */
export function deadLetterQueue(client: SQSClient, urls: { readonly deadLetters: string; readonly source: string }) {
  const QueueUrl = urls.deadLetters;
  return {
    /** Returns the approximate number of messages, including the invisible ones. */
    count: async () => {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return (
        Number(Attributes?.ApproximateNumberOfMessages ?? 0) +
        Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0)
      );
    },

    /** Receives some visible messages, or none when there are no more. They stay invisible for five minutes. */
    receive: async (): Promise<readonly DeadLetter[]> => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: BATCH,
          VisibilityTimeout: HIDDEN_SECONDS,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes, MessageAttributes }) => ({
        message_id: MessageAttributes?.[ORIGINAL_MESSAGE_ID]?.StringValue ?? MessageId,
        sent_at: new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString(),
        body: Body,
        receipt: ReceiptHandle,
        group: Attributes?.MessageGroupId,
      }));
    },

    /** Makes the messages visible again. */
    release: async (deadLetters: readonly Pick<DeadLetter, 'receipt'>[]) => {
      for (let start = 0; start < deadLetters.length; start += BATCH) {
        await client.send(
          new ChangeMessageVisibilityBatchCommand({
            QueueUrl,
            Entries: deadLetters.slice(start, start + BATCH).map(({ receipt }, index) => ({
              Id: String(index),
              ReceiptHandle: receipt,
              VisibilityTimeout: 0,
            })),
          }),
        );
      }
    },

    /** Sends the message to its queue with its original id, then deletes it. An interruption in between loses no message. */
    moveBack: async ({ message_id, body, receipt, group }: DeadLetter) => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: urls.source,
          MessageBody: body,
          MessageGroupId: group,
          MessageAttributes: { [ORIGINAL_MESSAGE_ID]: { DataType: 'String', StringValue: message_id } },
        }),
      );
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }));
    },
  };
}
