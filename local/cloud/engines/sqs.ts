import { buildApp } from 'fauxqs';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError, codeOf, messageOf } from '../cloud-error.ts';
import { type AwsResponse, jsonResponse, ServiceError } from '../gateway/aws-request.ts';
import type { JsonObject } from '../json.ts';
import type { QueueDefinition } from '../template/model.ts';
import { type FauxqsQueue, type FauxqsState, openFauxqsState } from './fauxqs-state.ts';
import { nextMessages, noisyGroups } from './message-groups.ts';
import { sendMessage, sendMessageBatch } from './sqs-send.ts';

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
  readonly #dequeue = new Map<FauxqsQueue, FairDequeue>();

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
    const engine = new SqsEngine(app, state);
    const { sqsStore } = state.stores;
    for (const queue of sqsStore.allQueues()) engine.#makeFair(queue);
    const createQueue = sqsStore.createQueue.bind(sqsStore);
    sqsStore.createQueue = (...parameters) => engine.#makeFair(createQueue(...parameters));
    return engine;
  }

  /** Creates the queues that are missing and gives all of them the template's attributes. */
  createQueues(queues: readonly QueueDefinition[]): void {
    const store = this.#state.stores.sqsStore;
    for (const { name, arn, url, properties } of queues) {
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

  /** Answers a call in the JSON protocol, once its changes are kept. @throws ServiceError as SQS would answer */
  async perform(
    operation: string,
    parameters: JsonObject,
    headers: Readonly<Record<string, string>>,
  ): Promise<AwsResponse> {
    const answer = await this.#answer(operation, parameters);
    if (answer === undefined) return this.forward(headers, Buffer.from(JSON.stringify(parameters)));
    await this.#state.kept();
    return { ...jsonResponse('1.0', null), body: JSON.stringify(answer) };
  }

  /** SendMessage within this process. @throws ServiceError as SQS would answer */
  async send(parameters: JsonObject): Promise<void> {
    sendMessage(this.#state, this.#queue(parameters), parameters);
    await this.#state.kept();
  }

  /** ReceiveMessage within this process, with all attributes: what is there now. */
  receive(QueueUrl: string, max: number, quietOnly: boolean): readonly ReceivedMessage[] {
    const queue = this.#queue({ QueueUrl });
    const received = this.#dequeue.get(queue)?.(max, undefined, this.#deadLetterQueue, quietOnly) ?? [];
    return received.map((message) => ({ ...message, Attributes: systemAttributes(queue, message.ReceiptHandle) }));
  }

  /** DeleteMessageBatch within this process, of up to ten. */
  async delete(QueueUrl: string, receiptHandles: readonly string[]): Promise<void> {
    const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    await this.#answer('DeleteMessageBatch', { QueueUrl, Entries });
    await this.#state.kept();
  }

  /** Resolves with true as soon as messages wait, with false after so many seconds without any. */
  async arrival(QueueUrl: string, seconds: number): Promise<boolean> {
    const queue = this.#queue({ QueueUrl });
    queue.processTimers();
    if (queue.messages.length === 0) await queue.waitForMessages(seconds);
    return queue.messages.length > 0;
  }

  /** Resolves when a message is added or visible again, and after 20 ms. */
  async addition(QueueUrl: string): Promise<void> {
    await this.#queue({ QueueUrl }).waitForMessages(ADDITION_SECONDS);
  }

  /** Hands a call over to fauxqs as it came. */
  async forward(headers: Readonly<Record<string, string>>, body: Buffer): Promise<AwsResponse> {
    const { 'content-length': _, 'transfer-encoding': __, expect: ___, ...rest } = headers;
    const response = await this.#app.inject({ method: 'POST', url: '/', headers: rest, payload: body });
    const answer: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      if (typeof value === 'string' && name !== 'connection' && name !== 'transfer-encoding') answer[name] = value;
    }
    await this.#state.kept();
    return { status: response.statusCode, headers: answer, body: response.rawPayload };
  }

  /** Drops what has been in its queue longer than the queue keeps messages. @returns how many */
  sweepRetained(nowMs: number): number {
    let dropped = 0;
    for (const queue of this.#state.stores.sqsStore.allQueues()) {
      const oldest = nowMs - Number(queue.attributes.MessageRetentionPeriod) * 1000;
      const keep = (message: { readonly messageId: string; readonly sentTimestamp: number }): boolean => {
        if (message.sentTimestamp >= oldest) return true;
        this.#state.deleteMessage(message.messageId);
        dropped += 1;
        return false;
      };
      queue.messages = queue.messages.filter(keep);
      queue.delayedMessages = queue.delayedMessages.filter(keep);
    }
    return dropped;
  }

  async stop(): Promise<void> {
    await this.#app.close();
    this.#state.close();
  }

  #queue(parameters: JsonObject): FauxqsQueue {
    const queue = this.#state.stores.sqsStore.getQueue(String(parameters.QueueUrl));
    if (queue === undefined) throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }

  /** Undefined for calls that only fauxqs's HTTP server answers. */
  async #answer(operation: string, parameters: JsonObject): Promise<object | undefined> {
    if (operation === 'SendMessage') return sendMessage(this.#state, this.#queue(parameters), parameters);
    if (operation === 'SendMessageBatch') return sendMessageBatch(this.#state, this.#queue(parameters), parameters);
    const action = this.#state.actions[operation];
    if (action === undefined) return undefined;
    try {
      return await action(parameters, this.#state.stores.sqsStore);
    } catch (error) {
      const code = codeOf(error);
      throw code === undefined ? error : new ServiceError(code, messageOf(error));
    }
  }

  readonly #deadLetterQueue = (arn: string): FauxqsQueue | undefined => this.#state.stores.sqsStore.getQueueByArn(arn);

  #makeFair(queue: FauxqsQueue): FauxqsQueue {
    const dequeue = fairDequeue(queue);
    this.#dequeue.set(queue, dequeue);
    queue.dequeue = (max, visibilityTimeout, deadLetterQueue) =>
      dequeue(max, visibilityTimeout, deadLetterQueue, false);
    return queue;
  }
}

type Dequeue = FauxqsQueue['dequeue'];
type FairDequeue = (
  maxCount: number,
  visibilityTimeout: Parameters<Dequeue>[1],
  deadLetterQueue: Parameters<Dequeue>[2],
  quietOnly: boolean,
) => ReturnType<Dequeue>;

/** Delivers messages in the order of a fair queue. fauxqs itself delivers them in the order of arrival. */
function fairDequeue(queue: FauxqsQueue): FairDequeue {
  const dequeue = queue.dequeue.bind(queue);
  return (maxCount, visibilityTimeout, deadLetterQueue, quietOnly) => {
    queue.processTimers();
    const noisy = noisyGroups([...queue.inflightMessages.values()].map(({ message }) => message));
    let bytes = 0;
    const positions = nextMessages(queue.messages, noisy, Math.min(maxCount, 10), quietOnly).filter(
      (position, index) => {
        bytes += Buffer.byteLength(queue.messages[position]?.body ?? '');
        return index === 0 || bytes <= BATCH_MAX_BYTES;
      },
    );
    const last = positions.at(-1);
    if (last === undefined) return [];
    if (last >= positions.length) {
      const chosen = new Set(positions);
      const next = positions.flatMap((position) => queue.messages[position] ?? []);
      queue.messages = [...next, ...queue.messages.filter((_, position) => !chosen.has(position))];
    }
    return dequeue(positions.length, visibilityTimeout, deadLetterQueue);
  };
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
