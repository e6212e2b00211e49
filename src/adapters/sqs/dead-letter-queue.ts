import {
  CancelMessageMoveTaskCommand,
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';

const BATCH = 10;
/** Long enough to inspect some thousands of messages. After an interrupted run, its messages stay invisible for this time. */
const HIDDEN_SECONDS = 300;
const MOVES_MAX = 10;

/** Creates access to a dead-letter queue. SQS moves its messages back to the source queue, one task at a time. */
export function deadLetterQueue(client: SQSClient, urls: { readonly deadLetters: string; readonly source: string }) {
  const QueueUrl = urls.deadLetters;
  const arnOf = async (url: string): Promise<string | undefined> => {
    const call = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
    return (await client.send(call)).Attributes?.QueueArn;
  };
  const moveTasks = async () => {
    const call = new ListMessageMoveTasksCommand({ SourceArn: await arnOf(QueueUrl), MaxResults: MOVES_MAX });
    return (await client.send(call)).Results ?? [];
  };
  return {
    /** Returns the approximate number of messages, including the invisible ones. */
    count: async () => {
      const AttributeNames: QueueAttributeName[] = [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
      ];
      const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
    },

    /** Receives some visible messages, or none when there are no more. They stay invisible for five minutes. */
    receive: async () => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: BATCH,
          VisibilityTimeout: HIDDEN_SECONDS,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes }) => ({
        message_id: MessageId,
        // When it was sent to the source queue, by EventBridge to this one, or by the last redrive.
        sent_at: new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString(),
        body: Body,
        receipt: ReceiptHandle,
      }));
    },

    release: async (deadLetters: readonly { readonly receipt: string }[]) => {
      for (let start = 0; start < deadLetters.length; start += BATCH) {
        const Entries = deadLetters
          .slice(start, start + BATCH)
          .map(({ receipt: ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
      }
    },

    /** Starts to move all messages to the source queue, so many a second. SQS knows no source of those from EventBridge. */
    startMove: async (rate: number): Promise<void> => {
      const [SourceArn, DestinationArn] = await Promise.all([arnOf(QueueUrl), arnOf(urls.source)]);
      const call = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate };
      await client.send(new StartMessageMoveTaskCommand(call));
    },

    /** Lists the message move tasks of the last days, the newest first. A number that SQS does not know is null. */
    moves: async () =>
      (await moveTasks()).map((task) => ({
        started_at: new Date(task.StartedTimestamp ?? 0).toISOString(),
        status: task.Status ?? '',
        rate: task.MaxNumberOfMessagesPerSecond ?? null,
        moved_letters: task.ApproximateNumberOfMessagesMoved ?? null,
        letters: task.ApproximateNumberOfMessagesToMove ?? null,
        failure: task.FailureReason ?? null,
      })),

    /** Cancels the running task. What it has moved stays moved. Returns false when none is running. */
    cancelMove: async (): Promise<boolean> => {
      // Only a running task has a handle.
      const TaskHandle = (await moveTasks()).find((task) => task.TaskHandle !== undefined)?.TaskHandle;
      if (TaskHandle === undefined) return false;
      await client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
      return true;
    },
  };
}
