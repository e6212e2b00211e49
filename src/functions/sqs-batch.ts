import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { isThrottled } from '../adapters/dynamodb/storage-errors.ts';
import type { HideFor } from '../adapters/sqs/deliveries-queue.ts';
import type { Received } from '../contract/queues.ts';
import { AttemptInProgress } from '../domain/delivery/deliver-event.ts';
import type { Invocation } from '../domain/facts.ts';
import { parseJson } from '../domain/parse-json.ts';
import { UnreadableMessage } from '../domain/service-error.ts';
import type { Invoke, Shell } from './invocation.ts';

/** The pauses of a message after a fault of the service double from the first to the last, in seconds. */
const PAUSE = { first: 30, last: 900 };

/**
 * Creates a Lambda handler for batches of queue messages. Handles the messages concurrently; SQS delivers only those again whose handling
 * threw an error.
 */
export function queueHandler<Message, StoryContext>(
  { logger, invoke }: Shell,
  schema: z.ZodType<Message>,
  story: (received: Received<Message>, context: StoryContext, invocation: Invocation) => Promise<void>,
  context: StoryContext,
  hideFor: HideFor,
) {
  const handle = ({ message, messageId }: Received<unknown>, invocation: Invocation) =>
    story({ message: parsedMessage(schema, message), messageId }, context, invocation);
  return middy<SQSEvent, SQSBatchResponse>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(queueBatches(invoke, handle, hideFor));
}

/** Returns queueHandler's function without middy and without the logger's context, for tests that run it without them. */
export function queueBatches(
  invoke: Invoke,
  handle: (received: Received<unknown>, invocation: Invocation) => Promise<void>,
  hideFor: HideFor,
) {
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
    invoke(context, (invocation) => {
      const handleRecord = async (record: SQSRecord) => {
        try {
          await handle({ message: messageBody(record), messageId: record.messageId }, invocation);
        } catch (cause) {
          await leaveInQueue(record, cause, hideFor, invocation);
          throw cause;
        }
      };
      const processor = new BatchProcessor(EventType.SQS);
      return processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
    });
}

/** Reports a message that could not be handled, and sets when SQS delivers it again: after a pause of its own, or the queue's visibility timeout. */
async function leaveInQueue(record: SQSRecord, cause: unknown, hideFor: HideFor, { reportFact }: Invocation) {
  const message_id = record.messageId;
  const seconds = pauseAfter(cause, record);
  const why = cause instanceof AttemptInProgress ? 'in_progress' : isThrottled(cause) ? 'throttled' : undefined;
  if (seconds !== undefined && why !== undefined)
    reportFact({ kind: 'message_waits', message_id, seconds, why, cause });
  else reportFact({ kind: 'message_failed', message_id, seconds, cause });
  if (seconds === undefined) return;
  await hideFor(record.receiptHandle, seconds).catch((cause: unknown) =>
    reportFact({ kind: 'message_unhidden', message_id, cause }),
  );
}

/** Returns how many seconds a message waits after an error; undefined for the visibility timeout of the queue. */
function pauseAfter(cause: unknown, { attributes }: SQSRecord): number | undefined {
  if (cause instanceof AttemptInProgress) return cause.retryAfterSeconds;
  if (cause instanceof UnreadableMessage) return undefined;
  // The fault may last for hours, and after 25 receives the queue moves the message to its dead-letter queue.
  return Math.min(PAUSE.first * 2 ** (Number(attributes.ApproximateReceiveCount) - 1), PAUSE.last);
}

/** Parses the body. Replaces the parser's error, because it quotes the text and payloads must not be logged. */
function messageBody(record: SQSRecord): unknown {
  const body = parseJson(record.body);
  if (body === undefined) throw new UnreadableMessage('The message is not JSON');
  return body;
}

function parsedMessage<Message>(schema: z.ZodType<Message>, body: unknown): Message {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw new UnreadableMessage(`The message cannot be read: ${issue?.path.join('.')} ${issue?.code}`);
}
