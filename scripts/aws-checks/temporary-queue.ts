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

/** Creates a standard queue, runs the work with it, and deletes it. */
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

/** Receives one message. @throws Error when none arrives within the given number of seconds */
export async function receive(sqs: SQSClient, url: string, seconds: number): Promise<Message> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['MessageGroupId'] }),
    );
    if (Messages?.[0] !== undefined) return Messages[0];
  }
  throw new Error(`No message arrived within ${seconds} s`);
}
