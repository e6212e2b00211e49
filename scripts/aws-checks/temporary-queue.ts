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

/** A standard queue for one check. */
export async function withQueue<T>(
  { access }: Deployment,
  work: (queue: { sqs: SQSClient; url: string; arn: string }) => Promise<T>,
): Promise<T> {
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

/** @throws when nothing comes within so many seconds */
export async function receive(sqs: SQSClient, url: string, seconds: number): Promise<Message> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['MessageGroupId'] }),
    );
    if (Messages?.[0] !== undefined) return Messages[0];
  }
  throw new Error(`No message came within ${seconds} s`);
}
