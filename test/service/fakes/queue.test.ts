import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { ACCESS } from '../../fakes/memory-clients.ts';
import { MemoryQueue } from '../../fakes/queue.ts';

/** The time of both queues, in milliseconds. */
let time = Date.now();
const { now } = Date;
beforeAll(() => {
  Date.now = () => time;
});
afterAll(() => {
  Date.now = now;
});

const engine = buildApp({ logger: false });
const client = new SQSClient({ ...ACCESS, endpoint: await engine.listen({ host: '127.0.0.1', port: 0 }) });
afterAll(async () => {
  client.destroy();
  await engine.close();
});

const VISIBILITY_SECONDS = 2;
const MAX_RECEIVES = 2;

type Received = { readonly body: string; readonly receives: number; readonly receipt: string };
/** A queue as a consumer sees it. */
type Queue = {
  readonly send: (entries: readonly (readonly [body: string, delaySeconds?: number])[]) => Promise<unknown>;
  /** Receives all messages that can be received. */
  readonly receive: () => Promise<readonly Received[]>;
  readonly delete: (receipt: string) => Promise<unknown>;
  readonly hide: (receipt: string, seconds: number) => Promise<unknown>;
  readonly deadLetters: () => Promise<readonly string[]>;
};

async function engineQueue(): Promise<Queue> {
  const create = async (QueueName: string, Attributes: Record<string, string> = {}) =>
    (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
  const dead = await create('dead');
  const deadLetterTargetArn = 'arn:aws:sqs:eu-central-1:000000000000:dead';
  const QueueUrl = await create('queue', {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: MAX_RECEIVES }),
  });
  const receive = async (url: string) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    );
    return Messages.map(({ Body = '', ReceiptHandle = '', Attributes }) => ({
      body: Body,
      receipt: ReceiptHandle,
      receives: Number(Attributes?.ApproximateReceiveCount),
    }));
  };
  return {
    send: (messages) => {
      const Entries = messages.map(([MessageBody, DelaySeconds], index) => ({
        Id: `${index}`,
        MessageBody,
        DelaySeconds,
      }));
      return client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    },
    receive: () => receive(QueueUrl),
    delete: (ReceiptHandle) => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
    hide: (ReceiptHandle, VisibilityTimeout) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout })),
    deadLetters: async () => (await receive(dead)).map(({ body }) => body),
  };
}

function memoryQueue(): Queue {
  const queue = new MemoryQueue({ now: () => time, visibilitySeconds: VISIBILITY_SECONDS, maxReceives: MAX_RECEIVES });
  return {
    send: async (entries) => {
      for (const [body, delay] of entries) queue.send(body, delay);
    },
    receive: async () =>
      queue
        .visible()
        .slice(0, 10)
        .map((message) => queue.receive(message)),
    delete: async (receipt) => queue.delete(receipt),
    hide: async (receipt, seconds) => queue.hide(receipt, seconds),
    deadLetters: async () => queue.deadLetters.map(({ body }) => body),
  };
}

/** What consumers see of delays, receives, deletions, visibility and dead letters, as the time passes. */
async function seenOf(queue: Queue): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const look = async () => {
    const received = await queue.receive();
    seen.push(received.map(({ body, receives }) => `${body} ${receives}`).toSorted());
    return new Map(received.map(({ body, receipt }) => [body, receipt]));
  };
  await queue.send([['deleted'], ['returned'], ['hidden'], ['shortened'], ['late', 1]]);
  const first = await look();
  await look();
  await queue.delete(first.get('deleted') ?? '');
  await queue.hide(first.get('shortened') ?? '', 0);
  await queue.hide(first.get('hidden') ?? '', 3600);
  await look();
  for (const milliseconds of [999, 1, 999, 1, 999, 1, 1000, 1000]) {
    time += milliseconds;
    await look();
  }
  return [...seen, (await queue.deadLetters()).toSorted()];
}

test('a queue in memory delivers, hides and gives up messages as an engine of SQS does', async () => {
  // One after the other, because they share the time.
  const theirs = await seenOf(await engineQueue());
  expect(await seenOf(memoryQueue())).toEqual(theirs);
  expect(theirs).toContainEqual(['late 1']);
});
