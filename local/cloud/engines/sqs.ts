import { buildApp } from 'fauxqs';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError, messageOf } from '../cloud-error.ts';
import { type AwsRequest, type AwsResponse, passedOn, ServiceError } from '../gateway/aws-request.ts';
import { jsonResponse } from '../gateway/json-protocol.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../template/stack.ts';
import { type FauxqsQueue, type FauxqsState, openFauxqsState } from './fauxqs-state.ts';
import { nextMessages, noisyGroups } from './message-groups.ts';
import { sendMessage, type sendMessageBatch } from './sqs-send.ts';

type App = ReturnType<typeof buildApp>;

/** What SQS takes unless a queue says less. */
const MAX_MESSAGE_BYTES = 1_048_576;

const ADDITION_SECONDS = 0.02;

/** Lambda takes events of at most 6 MB, so it ends a batch before. A tenth is left for what surrounds the bodies. */
const BATCH_MAX_BYTES = 0.9 * 6 * 1024 * 1024;

/** A value of a message attribute, as SQS names its fields. */
type MessageAttribute = { readonly DataType: string; readonly StringValue?: string; readonly BinaryValue?: string };

/** A message as ReceiveMessage answers with it. */
export type ReceivedMessage = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly MD5OfMessageAttributes?: string;
  readonly Attributes?: JsonObject;
  readonly MessageAttributes?: Readonly<Record<string, MessageAttribute>>;
};

/** The queues of the template, and topics that the operator creates, in fauxqs. It listens nowhere: calls go in directly. */
export class SqsEngine {
  readonly #app: App;
  readonly #state: FauxqsState;

  private constructor(app: App, state: FauxqsState) {
    this.#app = app;
    this.#state = state;
  }

  /** @throws CloudError when the folder's state cannot be read */
  static async open(folder: string): Promise<SqsEngine> {
    let state: FauxqsState;
    try {
      state = await openFauxqsState(folder);
    } catch (error) {
      throw new CloudError(
        `The state in ${folder} cannot be read (${messageOf(error)}). Delete the data folder to start without state, or name another with --data`,
      );
    }
    const app = buildApp({ logger: false, defaultRegion: REGION, stores: state.stores });
    await app.ready();
    return new SqsEngine(app, state);
  }

  /** Creates the queues that are missing and gives all of them the template's attributes. */
  createQueues(queues: readonly Resource<'AWS::SQS::Queue'>[]): void {
    const store = this.#state.stores.sqsStore;
    for (const { arn, ref: url, properties } of queues) {
      const name = arn.split(':').at(-1) ?? '';
      const queue = store.getQueueByName(name) ?? store.createQueue(name, url, arn);
      queue.setAttributes({
        VisibilityTimeout: String(properties.VisibilityTimeout),
        DelaySeconds: '0',
        MaximumMessageSize: String(MAX_MESSAGE_BYTES),
        MessageRetentionPeriod: String(properties.MessageRetentionPeriod),
        ReceiveMessageWaitTimeSeconds: '0',
        RedrivePolicy: properties.RedrivePolicy === undefined ? '' : JSON.stringify(properties.RedrivePolicy),
      });
    }
  }

  /** SendMessage or SendMessageBatch, which is answered when it is kept. @throws ServiceError as SQS would answer */
  async send(
    parameters: JsonObject,
    write: typeof sendMessage | typeof sendMessageBatch = sendMessage,
  ): Promise<AwsResponse> {
    const answer = write(this.#state, this.#queue(String(parameters.QueueUrl)), parameters);
    await this.#state.kept();
    return jsonResponse(answer);
  }

  /** ReceiveMessage within this process, with all attributes: what is there now, in the order of a fair queue. */
  receive(QueueUrl: string, max: number, quietOnly: boolean): readonly ReceivedMessage[] {
    const queue = this.#queue(QueueUrl);
    queue.processTimers();
    const count = bringForward(queue, max, quietOnly);
    if (count === 0) return [];
    const { sqsStore } = this.#state.stores;
    const received = queue.dequeue(count, undefined, (arn) => sqsStore.getQueueByArn(arn));
    return received.map((message) => ({ ...message, Attributes: systemAttributes(queue, message.ReceiptHandle) }));
  }

  /** DeleteMessageBatch within this process. */
  async delete(QueueUrl: string, receiptHandles: readonly string[]): Promise<void> {
    for (const handle of receiptHandles) this.#queue(QueueUrl).deleteMessage(handle);
    await this.#state.kept();
  }

  /** Resolves with true as soon as messages wait, with false after so many seconds without any. */
  async arrival(QueueUrl: string, seconds: number): Promise<boolean> {
    const queue = this.#queue(QueueUrl);
    queue.processTimers();
    if (queue.messages.length === 0) await queue.waitForMessages(seconds);
    return queue.messages.length > 0;
  }

  /** Resolves when a message is added or visible again, and after 20 ms. */
  async addition(QueueUrl: string): Promise<void> {
    await this.#queue(QueueUrl).waitForMessages(ADDITION_SECONDS);
  }

  /** Hands a call over to fauxqs as it came, and answers when its changes are kept. */
  async forward({ headers: all, body }: Pick<AwsRequest, 'headers' | 'body'>): Promise<AwsResponse> {
    const { 'content-length': _, 'transfer-encoding': __, expect: ___, ...headers } = all;
    const response = await this.#app.inject({ method: 'POST', url: '/', headers, payload: body });
    await this.#state.kept();
    return { status: response.statusCode, headers: passedOn(response.headers), body: response.rawPayload };
  }

  /** Drops what has been in its queue longer than the queue keeps messages. */
  sweep(nowMs: number): void {
    for (const queue of this.#state.stores.sqsStore.allQueues()) {
      const oldest = nowMs - Number(queue.attributes.MessageRetentionPeriod) * 1000;
      const keep = (message: { readonly messageId: string; readonly sentTimestamp: number }): boolean => {
        if (message.sentTimestamp >= oldest) return true;
        this.#state.deleteMessage(message.messageId);
        return false;
      };
      queue.messages = queue.messages.filter(keep);
      queue.delayedMessages = queue.delayedMessages.filter(keep);
    }
  }

  async stop(): Promise<void> {
    await this.#app.close();
    this.#state.close();
  }

  #queue(url: string): FauxqsQueue {
    const queue = this.#state.stores.sqsStore.getQueue(url);
    if (queue === undefined) throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }
}

/** Puts the messages that a fair queue delivers next before the others. @returns how many these are */
function bringForward(queue: FauxqsQueue, max: number, quietOnly: boolean): number {
  const noisy = noisyGroups([...queue.inflightMessages.values()].map(({ message }) => message));
  let bytes = 0;
  const positions = nextMessages(queue.messages, noisy, max, quietOnly).filter((position, index) => {
    bytes += Buffer.byteLength(queue.messages[position]?.body ?? '');
    return index === 0 || bytes <= BATCH_MAX_BYTES;
  });
  if ((positions.at(-1) ?? 0) >= positions.length) {
    const chosen = new Set(positions);
    const next = positions.flatMap((position) => queue.messages[position] ?? []);
    queue.messages = [...next, ...queue.messages.filter((_, position) => !chosen.has(position))];
  }
  return positions.length;
}

function systemAttributes(queue: FauxqsQueue, receiptHandle: string): JsonObject {
  const message = queue.inflightMessages.get(receiptHandle)?.message;
  if (message === undefined) return {};
  const { sentTimestamp, approximateReceiveCount, approximateFirstReceiveTimestamp, messageGroupId } = message;
  return {
    SenderId: ACCOUNT,
    SentTimestamp: String(sentTimestamp),
    ApproximateReceiveCount: String(approximateReceiveCount),
    ApproximateFirstReceiveTimestamp: String(approximateFirstReceiveTimestamp),
    ...(messageGroupId === undefined ? {} : { MessageGroupId: messageGroupId }),
  };
}
