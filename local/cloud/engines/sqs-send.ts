import { ServiceError } from '../gateway/aws-request.ts';
import { objectsOf, optionalText, textOf } from '../gateway/json-protocol.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FauxqsState, SqsMessage } from './fauxqs-state.ts';

type Queue = ReturnType<FauxqsState['stores']['sqsStore']['createQueue']>;

/** 15 minutes: no delay in SQS is longer. */
const MAX_DELAY_S = 900;
const MAX_BATCH_BYTES = 1_048_576;
/** The characters of XML 1.0, which is what SQS takes. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/**
 * SendMessage on a standard queue. fauxqs's own loses the message group, takes delays that SQS refuses, and refuses
 * characters that SQS takes (everything beyond U+FFFF, emoji for one).
 * @throws ServiceError as SQS would answer
 */
export function sendMessage(state: FauxqsState, queue: Queue, parameters: JsonObject): JsonObject {
  const message = messageFrom(state, queue, parameters);
  if (sizeOf(message) > Number(queue.attributes.MaximumMessageSize)) throw tooLong(queue);
  queue.enqueue(message);
  return resultOf(message);
}

/** SendMessageBatch on a standard queue: up to ten messages, together at most 1 MB; one that is refused is named alone. */
export function sendMessageBatch(state: FauxqsState, queue: Queue, parameters: JsonObject): JsonObject {
  const entries = objectsOf(parameters, 'Entries');
  if (entries.length === 0)
    throw new ServiceError('EmptyBatchRequest', "The batch request doesn't contain any entries.");
  if (entries.length > 10) {
    throw new ServiceError('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10.');
  }
  const ids = entries.map((entry) => textOf(entry, 'Id'));
  if (ids.some((id) => !/^[\w-]{1,80}$/.test(id))) {
    throw new ServiceError(
      'InvalidBatchEntryId',
      'A batch entry id holds 1 to 80 letters, digits, hyphens and underscores.',
    );
  }
  if (new Set(ids).size < ids.length) {
    throw new ServiceError('BatchEntryIdsNotDistinct', 'Two or more batch entries in the request have the same Id.');
  }
  const Successful: JsonObject[] = [];
  const Failed: JsonObject[] = [];
  const accepted: SqsMessage[] = [];
  for (const entry of entries) {
    const Id = textOf(entry, 'Id');
    try {
      const message = messageFrom(state, queue, entry);
      if (sizeOf(message) > Number(queue.attributes.MaximumMessageSize)) throw tooLong(queue);
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

function messageFrom(state: FauxqsState, queue: Queue, parameters: JsonObject): SqsMessage {
  const body = optionalText(parameters, 'MessageBody');
  if (body === undefined) {
    throw new ServiceError('MissingParameter', 'The request must contain the parameter MessageBody.');
  }
  if (FORBIDDEN.test(body)) {
    throw new ServiceError('InvalidMessageContents', 'The message contains characters outside the allowed set.');
  }
  const delay = Number(parameters.DelaySeconds ?? queue.attributes.DelaySeconds);
  if (!Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_S) {
    throw new ServiceError(
      'InvalidParameterValue',
      `Value ${delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${MAX_DELAY_S}.`,
    );
  }
  const attributes = Object.fromEntries(
    Object.entries(isObject(parameters.MessageAttributes) ? parameters.MessageAttributes : {}).map(([name, value]) => [
      name,
      attributeFrom(value),
    ]),
  );
  return state.createMessage(
    body,
    attributes,
    delay > 0 ? delay : undefined,
    optionalText(parameters, 'MessageGroupId'),
  );
}

function attributeFrom(value: Json): SqsMessage['messageAttributes'][string] {
  if (!isObject(value)) throw new ServiceError('InvalidParameterValue', 'A message attribute must be an object');
  const text = optionalText(value, 'StringValue');
  const binary = optionalText(value, 'BinaryValue');
  return {
    DataType: textOf(value, 'DataType'),
    ...(text === undefined ? {} : { StringValue: text }),
    ...(binary === undefined ? {} : { BinaryValue: binary }),
  };
}

function resultOf(message: SqsMessage): JsonObject {
  return {
    MessageId: message.messageId,
    MD5OfMessageBody: message.md5OfBody,
    ...(message.md5OfMessageAttributes === '' ? {} : { MD5OfMessageAttributes: message.md5OfMessageAttributes }),
  };
}

function sizeOf({ body, messageAttributes }: SqsMessage): number {
  return Object.entries(messageAttributes).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      sum + Buffer.byteLength(name) + Buffer.byteLength(DataType) + Buffer.byteLength(StringValue + BinaryValue),
    Buffer.byteLength(body),
  );
}

const tooLong = (queue: Queue): ServiceError =>
  new ServiceError(
    'InvalidParameterValue',
    `One or more parameters are invalid. Reason: Message must be shorter than ${queue.attributes.MaximumMessageSize} bytes.`,
  );
