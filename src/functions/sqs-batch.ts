import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { isThrottled } from '../adapters/dynamodb/storage-errors.ts';
import { ORIGINAL_MESSAGE_ID } from '../contract/queues.ts';
import { AttemptInProgress } from '../domain/delivery/deliver-event.ts';
import { parseJson } from '../domain/parse-json.ts';
import { errorName, shownError } from './shell.ts';

/** Handles one message. */
export type HandleMessage = (body: unknown, messageId: string) => Promise<void>;

export type BatchOptions = {
  /** Sets the seconds from now until SQS may deliver a received message again. @default the queue's visibility timeout */
  readonly hideFor?: (receiptHandle: string, seconds: number) => Promise<void>;
  /** Called for each message that failed: because DynamoDB throttled its requests, or for any other reason but an attempt in progress. */
  readonly failed: (throttled: boolean) => void;
};

/** The pauses of a throttled message double from the first to the last, in seconds. */
export const THROTTLED_PAUSE = { first: 30, last: 900 };

type RunInvocation = <Result>(context: Context, work: (handle: HandleMessage) => Promise<Result>) => Promise<Result>;

/**
 * Creates a Lambda handler for batches of queue messages. Handles the messages concurrently; SQS delivers only those again whose handling
 * threw an error.
 * @param invocation runs the work of one batch with what handles its messages
 */
export function sqsBatchHandler(logger: Logger, invocation: RunInvocation, options: BatchOptions) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(sqsBatches(logger, invocation, options));
}

/** Returns the function that handles a batch, without what belongs to Lambda's own interface. */
export function sqsBatches(
  logger: Pick<Logger, 'info' | 'error'>,
  invocation: RunInvocation,
  { hideFor, failed }: BatchOptions,
) {
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const processor = new BatchProcessor(EventType.SQS);
    return invocation(context, (handle) => {
      const handleRecord = async (record: SQSRecord) => {
        try {
          await handle(messageBody(record), messageIdOf(record));
        } catch (error) {
          if (!(error instanceof AttemptInProgress)) failed(isThrottled(error));
          const pause = pauseAfter(error, record);
          if (pause !== undefined && hideFor !== undefined) {
            await hide(logger, record, pause, hideFor);
            throw error;
          }
          logger.error('A message failed and becomes visible again', {
            message_id: record.messageId,
            error: shownError(error),
          });
          throw error;
        }
      };
      return processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
    });
  };
}

type Pause = { readonly seconds: number; readonly until: string };

/** Returns how long a message waits after an error; undefined for the visibility timeout of the queue. */
function pauseAfter(error: unknown, { attributes }: SQSRecord): Pause | undefined {
  if (error instanceof AttemptInProgress) {
    return { seconds: error.retryAfterSeconds, until: 'after the attempt in progress' };
  }
  if (!isThrottled(error)) return undefined;
  // The load may stay high for hours, and the queue gives up after a number of receives.
  const doubled = THROTTLED_PAUSE.first * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);
  return { seconds: Math.min(doubled, THROTTLED_PAUSE.last), until: 'later, because DynamoDB throttled its requests' };
}

/** Changes the time until SQS delivers a message again. When that fails, the visibility timeout of the queue applies. */
async function hide(
  logger: Pick<Logger, 'info' | 'error'>,
  { messageId, receiptHandle }: SQSRecord,
  { seconds, until }: Pause,
  hideFor: (receiptHandle: string, seconds: number) => Promise<void>,
): Promise<void> {
  try {
    await hideFor(receiptHandle, seconds);
    logger.info(`A message becomes visible again ${until}`, { message_id: messageId, seconds });
  } catch (error) {
    const name = errorName(error);
    logger.error('The visibility of a message could not be changed', { message_id: messageId, error: name });
  }
}

/** Returns the id with which a message claims an attempt: for a dead letter that was moved back, the id of the original message. */
function messageIdOf({ messageId, messageAttributes }: SQSRecord): string {
  return messageAttributes[ORIGINAL_MESSAGE_ID]?.stringValue ?? messageId;
}

/** Parses the body. Replaces the parser's error, because it quotes the text and payloads must not be logged. */
function messageBody(record: SQSRecord): unknown {
  const body = parseJson(record.body);
  if (body === undefined) throw new Error('The message is not JSON');
  return body;
}
