import { randomUUID } from 'node:crypto';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import { ACCOUNT, arnOf, REGION } from '../account.ts';
import { CloudError, messageOf } from '../cloud-error.ts';
import { CALL_MAX_BYTES } from '../constraints/documented-limits.ts';
import { type FauxqsQueue, openFauxqs, type SqsMessage } from '../engines/fauxqs.ts';
import { nextMessages, noisyGroups } from '../engines/message-groups.ts';
import {
  AwsError,
  type AwsOperation,
  type AwsRequest,
  type AwsService,
  type Demand,
  endToEndHeaders,
  jsonResponse,
  jsonService,
  requireDocumented,
  UnknownOperation,
} from '../gateway.ts';
import { type JsonRecord, objectsOf, optionalText } from '../json.ts';
import type { HttpAnswer } from '../listener.ts';
import type { Resource } from '../template/stack.ts';

/** Lambda takes events of at most 6 MB, so it ends a batch before. A tenth is left for what surrounds the bodies. */
const BATCH_MAX_BYTES = 0.9 * 6 * 1024 * 1024;

/** Nothing in the service sends attributes of a message, so a call with some is a fault. */
const sentMessage = z.strictObject({
  QueueUrl: z.string().optional(),
  MessageBody: z.string(),
  DelaySeconds: z.number().default(0),
  MessageGroupId: z.string().optional(),
});

const moveStart = z.object({
  SourceArn: z.string(),
  /** SQS also moves messages to the queues from which they came, which is not emulated. */
  DestinationArn: z.string(),
  MaxNumberOfMessagesPerSecond: z.int().min(1).max(500).default(500),
});

/** A message move task. It ends with the process. */
type MoveTask = z.infer<typeof moveStart> & {
  readonly handle: string;
  readonly startedAt: number;
  readonly toMove: number;
  movedMessages: number;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLED';
};

/** Milliseconds between two steps of a move task that moves more than ten messages a second. */
const MOVE_STEP_MS = 100;
/** The most tasks of a queue that SQS lists. */
const MOVES_MAX = 10;

export type ReceivedMessage = ReturnType<FauxqsQueue['dequeue']>[number];
export type Queues = Awaited<ReturnType<typeof openQueues>>;

/** Queues of the template and topics of the operator, in fauxqs, which listens nowhere. @throws CloudError when the folder's state cannot be read */
export async function openQueues(folder: string) {
  const state = await openFauxqs(folder).catch((error: unknown): never => {
    throw new CloudError(
      `The state in ${folder} cannot be read (${messageOf(error)}). Delete the data folder to start without state, or name another with --data`,
    );
  });
  const { sqsStore } = state.stores;
  const app = buildApp({ logger: false, defaultRegion: REGION, stores: state.stores });
  await app.ready();

  const queueOf = (url: unknown): FauxqsQueue => {
    const queue = sqsStore.getQueue(String(url));
    if (queue === undefined) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  };

  const messageOfCall = (queue: FauxqsQueue, parameters: JsonRecord): SqsMessage => {
    requireDocumented('sqs message', parameters);
    const { MessageBody, DelaySeconds, MessageGroupId } = sentMessage.parse(parameters);
    const message = state.createMessage(MessageBody, {}, DelaySeconds || undefined, MessageGroupId);
    const max = Number(queue.attributes.MaximumMessageSize);
    if (sizeOf(message) > max) {
      throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${max} bytes.`);
    }
    return message;
  };

  const moves: MoveTask[] = [];
  const queueOfArn = (arn: string): FauxqsQueue => {
    const queue = sqsStore.getQueueByArn(arn);
    if (queue === undefined) throw new AwsError('ResourceNotFoundException', `The queue ${arn} does not exist.`);
    return queue;
  };
  const isDeadLetterQueue = (arn: string) =>
    [...sqsStore.allQueues()].some(({ attributes }) => attributes.RedrivePolicy?.includes(`"${arn}"`));

  /** Moves some messages of a task, as new messages, and then those that are left. AWS does not say whether a message keeps its group: here it loses it. */
  const moveSome = (move: MoveTask): void => {
    if (move.status !== 'RUNNING') return;
    const [source, destination] = [queueOfArn(move.SourceArn), queueOfArn(move.DestinationArn)];
    const rate = move.MaxNumberOfMessagesPerSecond;
    source.processTimers();
    state.transaction(() => {
      const count = Math.max(1, Math.floor((rate * MOVE_STEP_MS) / 1000));
      for (const { ReceiptHandle } of source.dequeue(count, undefined, () => undefined)) {
        const message = source.inflightMessages.get(ReceiptHandle)?.message;
        if (message === undefined) continue;
        destination.enqueue(state.createMessage(message.body, {}, undefined, undefined));
        source.deleteMessage(ReceiptHandle);
        move.movedMessages += 1;
      }
    });
    if (source.messages.length === 0) move.status = 'COMPLETED';
    else setTimeout(moveSome, Math.max(MOVE_STEP_MS, 1000 / rate), move).unref();
  };

  return {
    /** StartMessageMoveTask: one task at a time, of a dead-letter queue of a queue. */
    startMove(parameters: JsonRecord): JsonRecord {
      const { data, error } = moveStart.safeParse(parameters);
      if (data === undefined) {
        const [issue] = error.issues;
        throw invalid(`Value for parameter ${issue?.path.join('.')} is invalid. Reason: ${issue?.message}`);
      }
      const { SourceArn, DestinationArn } = data;
      const toMove = queueOfArn(SourceArn).messages.length;
      queueOfArn(DestinationArn);
      if (!isDeadLetterQueue(SourceArn)) throw invalid('The source must be the dead-letter queue of a queue.');
      if (SourceArn === DestinationArn) throw invalid('Source and destination must be different queues.');
      if (moves.some((move) => move.SourceArn === SourceArn && move.status === 'RUNNING'))
        throw invalid('A message move task of this queue is running.');
      const handle = Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn: SourceArn })).toString('base64');
      const move: MoveTask = { ...data, handle, toMove, startedAt: Date.now(), movedMessages: 0, status: 'RUNNING' };
      moves.unshift(move);
      moveSome(move);
      return { TaskHandle: handle };
    },

    /** ListMessageMoveTasks: the newest first, at most ten, and a handle only of the one that is running. */
    listMoves({ SourceArn, MaxResults = 1 }: JsonRecord): JsonRecord {
      const most = Number(MaxResults);
      if (!(most >= 1 && most <= MOVES_MAX)) throw invalid(`MaxResults must be from 1 to ${MOVES_MAX}.`);
      queueOfArn(String(SourceArn));
      const Results = moves.filter((move) => move.SourceArn === SourceArn).slice(0, most);
      return {
        Results: Results.map(({ handle, startedAt, toMove, movedMessages, status, ...task }) => ({
          ...task,
          ...(status === 'RUNNING' && { TaskHandle: handle }),
          Status: status,
          StartedTimestamp: startedAt,
          ApproximateNumberOfMessagesToMove: toMove,
          ApproximateNumberOfMessagesMoved: movedMessages,
        })),
      };
    },

    /** CancelMessageMoveTask of a running task. What it has moved stays moved. */
    cancelMove(handle: string): JsonRecord {
      const move = moves.find((one) => one.handle === handle);
      if (move === undefined) throw new AwsError('ResourceNotFoundException', 'The task does not exist.');
      if (move.status !== 'RUNNING') throw new AwsError('UnsupportedOperation', 'The task is not running.');
      move.status = 'CANCELLED';
      return { ApproximateNumberOfMessagesMoved: move.movedMessages };
    },

    /** Creates the queues that are missing and gives all of them the template's attributes. */
    create(queues: readonly Resource<'AWS::SQS::Queue'>[]): void {
      for (const { arn, ref: url, properties } of queues) {
        const name = arn.split(':').at(-1) ?? '';
        const queue = sqsStore.getQueueByName(name) ?? sqsStore.createQueue(name, url, arn);
        queue.setAttributes({
          VisibilityTimeout: String(properties.VisibilityTimeout),
          DelaySeconds: '0',
          MaximumMessageSize: String(CALL_MAX_BYTES),
          ReceiveMessageWaitTimeSeconds: '0',
          RedrivePolicy: properties.RedrivePolicy === undefined ? '' : JSON.stringify(properties.RedrivePolicy),
        });
      }
    },

    /** fauxqs's own loses the message group, takes delays that SQS refuses, and refuses emoji, beyond U+FFFF. */
    send(parameters: JsonRecord): JsonRecord {
      const queue = queueOf(parameters.QueueUrl);
      const message = messageOfCall(queue, parameters);
      queue.enqueue(message);
      return resultOf(message);
    },

    /** SendMessageBatch on a standard queue: up to ten messages, together at most 1 MB; one that is refused is named alone. */
    sendBatch(parameters: JsonRecord): JsonRecord {
      const queue = queueOf(parameters.QueueUrl);
      const entries = objectsOf(parameters, 'Entries');
      requireDocumented('sqs SendMessageBatch', parameters);
      const Successful: JsonRecord[] = [];
      const Failed: JsonRecord[] = [];
      const acceptedMessages: SqsMessage[] = [];
      for (const { Id = '', ...entry } of entries) {
        try {
          const message = messageOfCall(queue, entry);
          acceptedMessages.push(message);
          Successful.push({ Id, ...resultOf(message) });
        } catch (error) {
          if (!(error instanceof AwsError)) throw error;
          Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
        }
      }
      if (acceptedMessages.reduce((sum, message) => sum + sizeOf(message), 0) > CALL_MAX_BYTES) {
        throw new AwsError('BatchRequestTooLong', `Batch requests cannot be longer than ${CALL_MAX_BYTES} bytes.`);
      }
      state.transaction(() => {
        for (const message of acceptedMessages) queue.enqueue(message);
      });
      return { Successful, Failed };
    },

    /** ReceiveMessage within this process, with the system's attributes: what is there now, in the order of a fair queue. */
    receive(QueueUrl: string, max: number, quietOnly: boolean): readonly ReceivedMessage[] {
      const queue = queueOf(QueueUrl);
      // Messages whose delay or visibility timeout is over wait again.
      queue.processTimers();
      const count = bringForward(queue, max, quietOnly);
      const receivedMessages: ReceivedMessage[] = [];
      state.transaction(() => {
        receivedMessages.push(
          ...queue.dequeue(count, undefined, (deadLetterArn) => sqsStore.getQueueByArn(deadLetterArn)),
        );
      });
      return receivedMessages.map((message) => ({
        ...message,
        Attributes: systemAttributes(queue, message.ReceiptHandle),
      }));
    },

    delete(QueueUrl: string, receiptHandles: readonly string[]): void {
      const queue = queueOf(QueueUrl);
      state.transaction(() => {
        for (const handle of receiptHandles) queue.deleteMessage(handle);
      });
    },

    /** Resolves with true as soon as messages wait, with false after so many seconds without any. */
    async arrival(QueueUrl: string, seconds: number): Promise<boolean> {
      const queue = queueOf(QueueUrl);
      queue.processTimers();
      if (queue.messages.length === 0) await queue.waitForMessages(seconds);
      return queue.messages.length > 0;
    },

    async forward({ headers, body }: AwsRequest): Promise<HttpAnswer> {
      const response = await app.inject({ method: 'POST', url: '/', headers: endToEndHeaders(headers), payload: body });
      return { status: response.statusCode, headers: endToEndHeaders(response.headers), body: response.rawPayload };
    },

    async stop(): Promise<void> {
      for (const move of moves) move.status = 'CANCELLED';
      await app.close();
      state.close();
    },
  };
}

const invalid = (message: string): AwsError => new AwsError('InvalidParameterValue', message);

const resultOf = ({ messageId, md5OfBody }: SqsMessage): JsonRecord => ({
  MessageId: messageId,
  MD5OfMessageBody: md5OfBody,
});

const sizeOf = ({ body }: SqsMessage): number => Buffer.byteLength(body);

/** Puts the messages that a fair queue delivers next before the others. @returns how many these are */
function bringForward(queue: FauxqsQueue, max: number, quietOnly: boolean): number {
  const noisy = noisyGroups([...queue.inflightMessages.values()].map(({ message }) => message));
  let bytes = 0;
  const positions = nextMessages(queue.messages, noisy, max, quietOnly).filter((position, index) => {
    bytes += Buffer.byteLength(queue.messages[position]?.body ?? '');
    return index === 0 || bytes <= BATCH_MAX_BYTES;
  });
  const areFirst = positions.every((position, index) => position === index);
  if (!areFirst) {
    const chosen = new Set(positions);
    const next = positions.flatMap((position) => queue.messages[position] ?? []);
    queue.messages = [...next, ...queue.messages.filter((_, position) => !chosen.has(position))];
  }
  return positions.length;
}

function systemAttributes(queue: FauxqsQueue, receiptHandle: string): Record<string, string> {
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

/** Calls that fauxqs answers. */
const FORWARDED = [
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'GetQueueAttributes',
  'SetQueueAttributes',
  'CreateQueue',
  'ListQueues',
];

/** SQS over its JSON protocol, the one that the AWS clients speak. A batch is allowed by the action for one. */
export function sqs(queues: Queues): AwsService {
  const onQueue =
    (answer: AwsOperation): AwsOperation =>
    (call) => {
      const { operation, parameters, demand } = call;
      const queue = optionalText(parameters, 'QueueUrl')?.split('/').at(-1) ?? optionalText(parameters, 'QueueName');
      demand(`sqs:${operation.replace(/Batch$/, '')}`, queue === undefined ? '*' : arnOf('sqs', queue));
      return answer(call);
    };
  const forwardedOperation = onQueue(({ request }) => queues.forward(request));
  return jsonService('sqs', {
    ...Object.fromEntries(FORWARDED.map((name) => [name, forwardedOperation])),
    SendMessage: onQueue(({ parameters }) => jsonResponse(queues.send(parameters))),
    SendMessageBatch: onQueue(({ parameters }) => jsonResponse(queues.sendBatch(parameters))),
    StartMessageMoveTask: ({ parameters, demand }) => {
      demandMove(demand, 'StartMessageMoveTask', optionalText(parameters, 'SourceArn'));
      demand('sqs:SendMessage', optionalText(parameters, 'DestinationArn') ?? '*');
      return jsonResponse(queues.startMove(parameters));
    },
    ListMessageMoveTasks: ({ parameters, demand }) => {
      demandMove(demand, 'ListMessageMoveTasks', optionalText(parameters, 'SourceArn'));
      return jsonResponse(queues.listMoves(parameters));
    },
    CancelMessageMoveTask: ({ parameters, demand }) => {
      const handle = optionalText(parameters, 'TaskHandle') ?? '';
      demandMove(demand, 'CancelMessageMoveTask', sourceArnOf(handle));
      return jsonResponse(queues.cancelMove(handle));
    },
  });
}

/** The handle of a task names its queue. */
const sourceArnOf = (handle: string): string | undefined =>
  /"sourceArn":"([^"]+)"/.exec(Buffer.from(handle, 'base64').toString())?.[1];

/** A call of a move task needs permission to read and delete its messages as well. */
function demandMove(demand: Demand, operation: string, sourceArn = '*'): void {
  for (const action of [operation, 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
    demand(`sqs:${action}`, sourceArn);
}

/** Known actions; the ones about one topic are checked against it, the others against everything. */
const ACTIONS: ReadonlySet<string> = new Set(['CreateTopic', 'Subscribe', 'Publish']);

/** SNS over its query protocol: a form in, XML out. */
export const sns = (queues: Queues): AwsService => ({
  refuse: ({ code, status, message }) => {
    const isDenied = code === 'AccessDeniedException';
    const escapedMessage = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return {
      status: isDenied ? 403 : status,
      headers: { 'content-type': 'text/xml' },
      body: `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type><Code>${isDenied ? 'AuthorizationError' : code}</Code><Message>${escapedMessage}</Message></Error><RequestId>local</RequestId></ErrorResponse>`,
    };
  },
  async answer(request, demand) {
    const form = new URLSearchParams(request.body.toString('utf8'));
    const action = form.get('Action') ?? '';
    if (!ACTIONS.has(action)) throw new UnknownOperation('sns', action);
    demand(`sns:${action}`, form.get('TopicArn') ?? '*');
    return queues.forward(request);
  },
});
