import * as z from 'zod';
import { ServiceError } from '../gateway/aws-request.ts';
import { objectsOf, textOf } from '../gateway/json-protocol.ts';
import type { JsonObject } from '../json.ts';
import type { FauxqsQueue, FauxqsState, SqsMessage } from './fauxqs-state.ts';

const MAX_BATCH_BYTES = 1_048_576;
/** The characters of XML 1.0, which is what SQS takes. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const sent = z.object({
  MessageBody: z.string().min(1),
  /** No delay in SQS is longer than 15 minutes. */
  DelaySeconds: z.int().min(0).max(900).default(0),
  MessageAttributes: z
    .record(
      z.string(),
      z.object({
        DataType: z.string(),
        StringValue: z.string().exactOptional(),
        BinaryValue: z.string().exactOptional(),
      }),
    )
    .default({}),
  MessageGroupId: z.string().optional(),
});

/**
 * SendMessage on a standard queue. fauxqs's own loses the message group, takes delays that SQS refuses, and refuses
 * characters that SQS takes (everything beyond U+FFFF, emoji for one).
 * @throws ServiceError as SQS would answer
 */
export function sendMessage(state: FauxqsState, queue: FauxqsQueue, parameters: JsonObject): JsonObject {
  const message = messageFrom(state, queue, parameters);
  queue.enqueue(message);
  return resultOf(message);
}

/** SendMessageBatch on a standard queue: up to ten messages, together at most 1 MB; one that is refused is named alone. */
export function sendMessageBatch(state: FauxqsState, queue: FauxqsQueue, parameters: JsonObject): JsonObject {
  const entries = objectsOf(parameters, 'Entries');
  if (entries.length === 0) throw new ServiceError('EmptyBatchRequest', 'The batch request has no entries.');
  if (entries.length > 10) {
    throw new ServiceError('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10.');
  }
  if (new Set(entries.map((entry) => textOf(entry, 'Id'))).size < entries.length) {
    throw new ServiceError('BatchEntryIdsNotDistinct', 'Two or more batch entries in the request have the same Id.');
  }
  const Successful: JsonObject[] = [];
  const Failed: JsonObject[] = [];
  const accepted: SqsMessage[] = [];
  for (const { Id = '', ...entry } of entries) {
    try {
      const message = messageFrom(state, queue, entry);
      accepted.push(message);
      Successful.push({ Id, ...resultOf(message) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  if (accepted.reduce((sum, message) => sum + sizeOf(message), 0) > MAX_BATCH_BYTES) {
    throw new ServiceError('BatchRequestTooLong', `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes.`);
  }
  for (const message of accepted) queue.enqueue(message);
  return { Successful, Failed };
}

function messageFrom(state: FauxqsState, queue: FauxqsQueue, parameters: JsonObject): SqsMessage {
  const { data, error } = sent.safeParse(parameters);
  if (data === undefined) {
    const [issue] = error.issues;
    throw invalid(`Value for parameter ${issue?.path.join('.')} is invalid. Reason: ${issue?.message}`);
  }
  if (FORBIDDEN.test(data.MessageBody)) {
    throw new ServiceError('InvalidMessageContents', 'The message contains characters outside the allowed set.');
  }
  const delay = data.DelaySeconds > 0 ? data.DelaySeconds : undefined;
  const message = state.createMessage(data.MessageBody, data.MessageAttributes, delay, data.MessageGroupId);
  const max = Number(queue.attributes.MaximumMessageSize);
  if (sizeOf(message) > max) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${max} bytes.`);
  }
  return message;
}

const invalid = (message: string): ServiceError => new ServiceError('InvalidParameterValue', message);

const resultOf = ({ messageId, md5OfBody, md5OfMessageAttributes }: SqsMessage): JsonObject => ({
  MessageId: messageId,
  MD5OfMessageBody: md5OfBody,
  ...(md5OfMessageAttributes === '' ? {} : { MD5OfMessageAttributes: md5OfMessageAttributes }),
});

function sizeOf({ body, messageAttributes }: SqsMessage): number {
  return Object.entries(messageAttributes).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue + BinaryValue),
    Buffer.byteLength(body),
  );
}
