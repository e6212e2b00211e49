import { isList, isObject, type Json, type JsonRecord, objectsOf, textOf } from '../json.ts';

/** A limit that AWS documents in prose, and not in its models. */
export type DocumentedLimit = {
  readonly page: string;
  /** The code of AWS's refusal. */
  readonly code: string;
  readonly rule: string;
  readonly max: number;
  /** Returns what AWS counts. */
  readonly measure: (parameters: JsonRecord) => number;
};
type Measure = DocumentedLimit['measure'];

const limit = (page: string, code: string, rule: string, max: number, measure: Measure): DocumentedLimit => {
  return { page, code, rule, max, measure };
};

const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest';
const SEND = `${SQS}/APIReference/API_SendMessage.html`;
const QUOTAS = `${SQS}/SQSDeveloperGuide/quotas-messages.html`;
const BATCH = `${SQS}/APIReference/API_SendMessageBatch.html`;
const PUT_EVENTS = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html';
const EVENT_SIZE = 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html';
const EVENT_FIELDS = 'https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html';
const EXPRESSIONS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html';
/** The bytes that SQS and EventBridge take in a call, and SQS in a message unless a queue says less. */
export const CALL_MAX_BYTES = 1_048_576;
const entriesOf = (call: JsonRecord) => objectsOf(call, 'Entries');
const characters = (name: string) => (parameters: JsonRecord) => textOf(parameters, name).length;
/** 1 when the text is missing, else 0. */
const missingText = (name: string) => (parameters: JsonRecord) => (textOf(parameters, name) === '' ? 1 : 0);
/** Counts the characters that are not of the set. */
const outside = (text: string, set: RegExp): number => text.replaceAll(set, '').length;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
/** Characters of XML 1.0, which is what SQS takes. */
const XML = /[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const INVALID = 'InvalidParameterValue';
const ARGUMENT = 'InvalidArgument';
const VALIDATION = 'ValidationException';
const BATCH_REFUSAL = 'AWS.SimpleQueueService.';

/** @param measure what AWS counts in one expression of a call */
const expressionLimit = (rule: string, max: number, measure: (expression: string) => number) =>
  limit(EXPRESSIONS, VALIDATION, rule, max, (call) => Math.max(0, ...expressionsOf(call).map(measure)));

/** The limits by what they are about: a message or an entry, which AWS refuses alone, or a whole call. */
export const DOCUMENTED_LIMITS = {
  'sqs message': [
    limit(SEND, INVALID, 'A message has a character', 0, missingText('MessageBody')),
    limit(SEND, 'InvalidMessageContents', 'A message has characters of XML 1.0', 0, (message) =>
      outside(textOf(message, 'MessageBody'), XML),
    ),
    limit(SEND, INVALID, 'MessageGroupId has 128 characters', 128, characters('MessageGroupId')),
    limit(SEND, INVALID, 'MessageGroupId is alphanumeric or punctuation', 0, (message) =>
      outside(textOf(message, 'MessageGroupId'), /[!-~]/g),
    ),
    limit(QUOTAS, INVALID, 'DelaySeconds is 900', 900, ({ DelaySeconds: delay = 0 }) => Number(delay)),
    limit(QUOTAS, INVALID, 'DelaySeconds is not negative', 0, ({ DelaySeconds: delay = 0 }) => -Number(delay)),
  ],
  'sqs SendMessageBatch': [
    limit(BATCH, `${BATCH_REFUSAL}EmptyBatchRequest`, 'A batch has an entry', 0, (call) =>
      entriesOf(call).length === 0 ? 1 : 0,
    ),
    limit(
      BATCH,
      `${BATCH_REFUSAL}TooManyEntriesInBatchRequest`,
      'A batch has 10 entries',
      10,
      (call) => entriesOf(call).length,
    ),
    limit(
      BATCH,
      `${BATCH_REFUSAL}BatchEntryIdsNotDistinct`,
      'Each Id is there once',
      0,
      (call) => entriesOf(call).length - new Set(entriesOf(call).map(({ Id }) => Id)).size,
    ),
  ],
  'events PutEvents': [
    limit(EVENT_SIZE, VALIDATION, 'The entries have 1 MB together', CALL_MAX_BYTES, (call) =>
      sum(entriesOf(call).map(eventBytes)),
    ),
  ],
  'events entry': [
    ...['Source', 'DetailType', 'Detail'].map((name) =>
      limit(PUT_EVENTS, ARGUMENT, `${name} is a required argument`, 0, missingText(name)),
    ),
    limit(PUT_EVENTS, 'NotAuthorizedForSourceException', 'A source does not begin with aws.', 0, (entry) =>
      textOf(entry, 'Source').startsWith('aws.') ? 1 : 0,
    ),
    limit(EVENT_FIELDS, ARGUMENT, 'DetailType has 128 characters', 128, characters('DetailType')),
    limit(EVENT_FIELDS, ARGUMENT, 'Source has 256 characters', 256, characters('Source')),
    limit(PUT_EVENTS, 'MalformedDetail', 'Detail has 1,000 levels', 1000, (entry) => levelsOf(textOf(entry, 'Detail'))),
    limit(PUT_EVENTS, 'MalformedDetail', 'An integer of Detail has 64 bits', 0, (entry) =>
      largeIntegers(textOf(entry, 'Detail')),
    ),
  ],
  dynamodb: [
    expressionLimit('An expression has 4 KB', 4096, (text) => Buffer.byteLength(text)),
    expressionLimit('An expression has 300 operators', 300, (text) => text.match(OPERATORS)?.length ?? 0),
    expressionLimit('IN has 100 values', 100, (text) =>
      Math.max(0, ...[...text.matchAll(LISTS)].map(([list]) => list.split(',').length)),
    ),
  ],
} satisfies Readonly<Record<string, readonly DocumentedLimit[]>>;

export function documentedProblem(about: keyof typeof DOCUMENTED_LIMITS, parameters: JsonRecord) {
  const limits: readonly DocumentedLimit[] = DOCUMENTED_LIMITS[about];
  const limit = limits.find(({ measure, max }) => !(measure(parameters) <= max));
  return limit && { code: limit.code, message: `Parameter is not valid. ${limit.rule}: ${limit.page}` };
}

/** Returns the expressions of a call, also those of the members of a transaction. */
const expressionsOf = (value: Json): readonly string[] =>
  isObject(value) || isList(value)
    ? Object.entries(value).flatMap(([name, part]) =>
        name.endsWith('Expression') && typeof part === 'string' ? [part] : expressionsOf(part),
      )
    : [];
const OPERATORS = /<>|<=|>=|[<>=+-]|\b(?:AND|OR|NOT|BETWEEN|IN)\b|\b[a-z_]+\s?\(/g;
const LISTS = /\bIN\s?\([^)]*\)/gi;

/** As AWS counts an entry: its texts in UTF-8, and 14 bytes for a time. */
function eventBytes(entry: JsonRecord): number {
  const resources = isList(entry.Resources) ? entry.Resources : [];
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...resources];
  const bytes = sum(texts.map((text) => (typeof text === 'string' ? Buffer.byteLength(text) : 0)));
  return bytes + (entry.Time === undefined ? 0 : 14);
}

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}]|-?\d[\d.eE+-]*/g;

function levelsOf(json: string): number {
  let [level, deepest] = [0, 0];
  for (const [token] of json.matchAll(JSON_TOKENS)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++level);
    else if (token === '}' || token === ']') level -= 1;
  }
  return deepest;
}

/** Counts the integers of JSON that 64 bits do not hold. */
const largeIntegers = (json: string): number =>
  [...json.matchAll(JSON_TOKENS)].filter(
    ([token]) => /^-?\d{19,}$/.test(token) && (token.length > 20 || BigInt.asIntN(64, BigInt(token)) !== BigInt(token)),
  ).length;
