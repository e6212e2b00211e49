import { buildApp } from 'fauxqs';
import { REGION } from '../account.ts';
import { CloudError, messageOf } from '../cloud-error.ts';
import { type AwsResponse, jsonResponse, ServiceError } from '../gateway/aws-request.ts';
import type { JsonObject } from '../json.ts';
import type { QueueDefinition } from '../template/model.ts';
import { type FauxqsState, openFauxqsState } from './fauxqs-state.ts';
import { sendMessage, sendMessageBatch } from './sqs-send.ts';

type App = ReturnType<typeof buildApp>;

/** What SQS takes unless a queue says less. */
const MAX_MESSAGE_BYTES = 1_048_576;

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
        `The state in ${folder} cannot be read (${messageOf(error)}). Delete the folder to start anew, or name another with --data`,
      );
    }
    const app = buildApp({ logger: false, defaultRegion: REGION, stores: state.stores });
    await app.ready();
    return new SqsEngine(app, state);
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

  /** Answers a call in the JSON protocol. @throws ServiceError as SQS would answer */
  async perform(
    operation: string,
    parameters: JsonObject,
    headers: Readonly<Record<string, string>>,
  ): Promise<AwsResponse> {
    const send = { SendMessage: sendMessage, SendMessageBatch: sendMessageBatch }[operation];
    if (send !== undefined) {
      const queue = this.#state.stores.sqsStore.getQueue(String(parameters.QueueUrl));
      if (queue === undefined) throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
      if (!queue.isFifo()) return jsonResponse('1.0', send(this.#state, queue, parameters));
    }
    return this.forward(headers, Buffer.from(JSON.stringify(parameters)));
  }

  /** Hands a call over to fauxqs as it came. */
  async forward(headers: Readonly<Record<string, string>>, body: Buffer): Promise<AwsResponse> {
    const { 'content-length': _, 'transfer-encoding': __, expect: ___, ...rest } = headers;
    const response = await this.#app.inject({ method: 'POST', url: '/', headers: rest, payload: body });
    const answer: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) {
      if (typeof value === 'string' && name !== 'connection' && name !== 'transfer-encoding') answer[name] = value;
    }
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
}
