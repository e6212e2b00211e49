import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Deployment } from './check.ts';

export type TemporaryQueue = { readonly sqs: SQSClient; readonly url: string; readonly arn: string };

/** Creates a standard queue, runs the work with it, and deletes it. */
export async function withQueue<T>({ access }: Deployment, work: (queue: TemporaryQueue) => Promise<T>): Promise<T> {
  const sqs = new SQSClient(access);
  const { QueueUrl: url = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `va-wave-verify-${randomUUID()}` }),
  );
  try {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    );
    return await work({ sqs, url, arn: Attributes?.QueueArn ?? '' });
  } finally {
    await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
  }
}

/** Receives one message. Resolves to undefined when none arrives within the given number of seconds. */
export async function receive({ sqs, url }: TemporaryQueue, seconds: number): Promise<Message | undefined> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['MessageGroupId'] }),
    );
    if (Messages?.[0] !== undefined) return Messages[0];
  }
  return undefined;
}
