import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { parseExactly } from '../../contract/json.ts';
import { ORIGINAL_MESSAGE_ID } from '../../contract/queues.ts';
import { AttemptInProgress } from '../../domain/delivery/attempt-delivery.ts';

export type BatchOptions = {
  /** Told how many messages are about to be worked on. */
  readonly before?: (messages: number) => void;
  /** Runs once per message, whatever became of it. */
  readonly afterEach?: () => void;
  /** Runs once per batch, whatever became of it. */
  readonly after?: () => Promise<void>;
  /** Sets for how many seconds from now a received message is not handed out again. @default the queue's visibility timeout */
  readonly hideFor?: (receiptHandle: string, seconds: number) => Promise<void>;
};

/**
 * Wraps the work on one queue message into a Lambda handler for batches: messages are handled side by side, and only those whose
 * work threw come back.
 * @param work is given the body and the message's id
 */
export function sqsBatchHandler(
  logger: Logger,
  work: (body: unknown, messageId: string) => Promise<void>,
  { before, afterEach, after, hideFor }: BatchOptions = {},
) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
      const processor = new BatchProcessor(EventType.SQS);
      const handle = async (record: SQSRecord) => {
        try {
          await work(messageBody(record), messageIdOf(record));
        } catch (error) {
          if (error instanceof AttemptInProgress && hideFor !== undefined) {
            await shortenVisibility(logger, record, error.retryAfterSeconds, hideFor);
            throw error;
          }
          logger.error('A message failed and comes back', {
            message_id: record.messageId,
            error: error instanceof Error ? error : new Error('A value that is no Error was thrown'),
          });
          throw error;
        } finally {
          afterEach?.();
        }
      };
      before?.(event.Records.length);
      try {
        return await processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false });
      } finally {
        await after?.();
      }
    });
}

/** Shortens the time until a message comes back; when that fails, it comes back after the queue's own visibility timeout. */
async function shortenVisibility(
  logger: Logger,
  { messageId, receiptHandle }: SQSRecord,
  seconds: number,
  hideFor: (receiptHandle: string, seconds: number) => Promise<void>,
): Promise<void> {
  try {
    await hideFor(receiptHandle, seconds);
    logger.info('A message comes back when the attempt under way is over', { message_id: messageId, seconds });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    logger.error('The visibility of a message could not be changed', { message_id: messageId, error: name });
  }
}

/** A dead letter that was moved back is, to its claim, still the message that died. */
function messageIdOf({ messageId, messageAttributes }: SQSRecord): string {
  return messageAttributes[ORIGINAL_MESSAGE_ID]?.stringValue ?? messageId;
}

/** The parser quotes what it could not read, and payloads do not belong in a log. */
function messageBody(record: SQSRecord): unknown {
  try {
    return parseExactly(record.body);
  } catch {
    throw new Error('The message is not JSON');
  }
}
