import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { parseExactly } from '../../contract/json.ts';
import { ORIGINAL_MESSAGE_ID } from '../../contract/queues.ts';

/**
 * Wraps the work on one queue message into a Lambda handler for batches: messages are handled side by side, and only those whose
 * work threw come back.
 * @param work is given the body and the message's id
 * @param after runs once per batch, whatever became of it
 */
export function sqsBatchHandler(
  logger: Logger,
  work: (body: unknown, messageId: string) => Promise<void>,
  after: () => Promise<void> = async () => undefined,
) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
      const processor = new BatchProcessor(EventType.SQS);
      const handle = async (record: SQSRecord) => {
        try {
          await work(messageBody(record), messageIdOf(record));
        } catch (error) {
          logger.error('A message failed and comes back', {
            message_id: record.messageId,
            error: error instanceof Error ? error : new Error('A value that is no Error was thrown'),
          });
          throw error;
        }
      };
      try {
        return await processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false });
      } finally {
        await after();
      }
    });
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
