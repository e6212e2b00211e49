import { isList, isObject, type Json, type JsonRecord } from '../json.ts';

/** A limit that AWS documents in prose, and not in its models. */
export type DocumentedLimit = {
  readonly page: string;
  /** The code of AWS's refusal. */
  readonly code: string;
  readonly rule: string;
  /** Returns what AWS counts, for each place where it does. */
  readonly measure: (parameters: JsonRecord) => readonly number[];
  /** @default 0 */
  readonly max?: number;
};

const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest';
const SEND = `${SQS}/APIReference/API_SendMessage.html`;
const QUOTAS = `${SQS}/SQSDeveloperGuide/quotas-messages.html`;
const ATTRIBUTES = `${SQS}/SQSDeveloperGuide/sqs-message-metadata.html`;
const BATCH = `${SQS}/APIReference/API_SendMessageBatch.html`;
const PUT_EVENTS = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html';
const EVENT_SIZE = 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html';
const EVENT_FIELDS = 'https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html';
const EXPRESSIONS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html';

/** The bytes that SQS and EventBridge take in a call, and SQS in a message unless a queue says less. */
export const CALL_MAX_BYTES = 1_048_576;

const textAt = (parameters: JsonRecord, name: string): string => {
  const value = parameters[name];
  return typeof value === 'string' ? value : '';
};
const entriesOf = ({ Entries }: JsonRecord): readonly JsonRecord[] => (isList(Entries) ? Entries.filter(isObject) : []);
const attributesOf = ({ MessageAttributes: all }: JsonRecord): JsonRecord => (isObject(all) ? all : {});
const attributeNames = (message: JsonRecord) => Object.keys(attributesOf(message));
const characters = (name: string) => (parameters: JsonRecord) => [textAt(parameters, name).length];
/** 1 when the text is missing, else 0. */
const missingText = (name: string) => (parameters: JsonRecord) => [textAt(parameters, name) === '' ? 1 : 0];
/** Counts the characters that are not of the set. */
const outside = (text: string, set: RegExp): number => text.replaceAll(set, '').length;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Characters of XML 1.0, which is what SQS takes. */
const XML = /[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const INVALID = 'InvalidParameterValue';

/** The limits by what they are about: a message or an entry, which AWS refuses alone, or a whole call. */
export const DOCUMENTED_LIMITS = {
  'sqs message': [
    { page: SEND, code: INVALID, rule: 'A message has a character', measure: missingText('MessageBody') },
    {
      ...{ page: SEND, code: 'InvalidMessageContents', rule: 'A message has characters of XML 1.0' },
      measure: (message) => [outside(textAt(message, 'MessageBody'), XML)],
    },
    {
      page: SEND,
      code: INVALID,
      rule: 'MessageGroupId has 128 characters',
      measure: characters('MessageGroupId'),
      max: 128,
    },
    {
      ...{ page: SEND, code: INVALID, rule: 'MessageGroupId is alphanumeric or punctuation' },
      measure: (message) => [outside(textAt(message, 'MessageGroupId'), /[!-~]/g)],
    },
    {
      page: QUOTAS,
      code: INVALID,
      rule: 'DelaySeconds is 900',
      measure: ({ DelaySeconds: delay = 0 }) => [Number(delay)],
      max: 900,
    },
    {
      page: QUOTAS,
      code: INVALID,
      rule: 'DelaySeconds is not negative',
      measure: ({ DelaySeconds: delay = 0 }) => [-Number(delay)],
    },
    {
      page: QUOTAS,
      code: INVALID,
      rule: 'A message has 10 attributes',
      measure: (message) => [attributeNames(message).length],
      max: 10,
    },
    {
      ...{ page: ATTRIBUTES, code: INVALID, rule: 'The name of an attribute has 256 characters', max: 256 },
      measure: (message) => attributeNames(message).map((name) => name.length),
    },
    {
      ...{ page: ATTRIBUTES, code: INVALID, rule: 'The name of an attribute is of A-Z, a-z, 0-9, _, - and .' },
      measure: (message) => attributeNames(message).map((name) => outside(name, /[\w.-]/g)),
    },
    {
      ...{ page: ATTRIBUTES, code: INVALID, rule: 'An attribute has a value' },
      measure: (message) => [Object.values(attributesOf(message)).filter((attribute) => !hasValue(attribute)).length],
    },
  ],
  'sqs SendMessageBatch': [
    {
      ...{ page: BATCH, code: 'AWS.SimpleQueueService.EmptyBatchRequest', rule: 'A batch has an entry' },
      measure: (call) => [entriesOf(call).length === 0 ? 1 : 0],
    },
    {
      ...{ page: BATCH, code: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest', rule: 'A batch has 10 entries' },
      measure: (call) => [entriesOf(call).length],
      max: 10,
    },
    {
      ...{ page: BATCH, code: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct', rule: 'Each Id is there once' },
      measure: (call) => [entriesOf(call).length - new Set(entriesOf(call).map(({ Id }) => Id)).size],
    },
    {
      ...{ page: BATCH, code: 'AWS.SimpleQueueService.InvalidBatchEntryId', rule: 'An Id has 80 characters', max: 80 },
      measure: (call) => entriesOf(call).map((entry) => textAt(entry, 'Id').length),
    },
    {
      ...{
        page: BATCH,
        code: 'AWS.SimpleQueueService.InvalidBatchEntryId',
        rule: 'An Id is of A-Z, a-z, 0-9, - and _',
      },
      measure: (call) => entriesOf(call).map((entry) => outside(textAt(entry, 'Id'), /[\w-]/g)),
    },
  ],
  'events PutEvents': [
    {
      ...{ page: EVENT_SIZE, code: 'ValidationException', rule: 'The entries have 1 MB together', max: CALL_MAX_BYTES },
      measure: (call) => [sum(entriesOf(call).map(eventBytes))],
    },
  ],
  'events entry': [
    ...['Source', 'DetailType', 'Detail'].map((name) => ({
      ...{
        page: PUT_EVENTS,
        code: 'InvalidArgument',
        rule: `${name} is a required argument`,
        measure: missingText(name),
      },
    })),
    {
      ...{ page: PUT_EVENTS, code: 'NotAuthorizedForSourceException', rule: 'A source does not begin with aws.' },
      measure: (entry) => [textAt(entry, 'Source').startsWith('aws.') ? 1 : 0],
    },
    {
      page: EVENT_FIELDS,
      code: 'InvalidArgument',
      rule: 'DetailType has 128 characters',
      measure: characters('DetailType'),
      max: 128,
    },
    {
      page: EVENT_FIELDS,
      code: 'InvalidArgument',
      rule: 'Source has 256 characters',
      measure: characters('Source'),
      max: 256,
    },
    {
      ...{ page: PUT_EVENTS, code: 'MalformedDetail', rule: 'Detail has 1,000 levels', max: 1000 },
      measure: (entry) => [levelsOf(textAt(entry, 'Detail'))],
    },
    {
      ...{ page: PUT_EVENTS, code: 'MalformedDetail', rule: 'An integer of Detail has 64 bits' },
      measure: (entry) => [largeIntegers(textAt(entry, 'Detail'))],
    },
  ],
  dynamodb: [
    {
      ...{ page: EXPRESSIONS, code: 'ValidationException', rule: 'An expression has 4 KB', max: 4096 },
      measure: (call) => expressionsOf(call).map((text) => Buffer.byteLength(text)),
    },
    {
      ...{ page: EXPRESSIONS, code: 'ValidationException', rule: 'An expression has 300 operators', max: 300 },
      measure: (call) => expressionsOf(call).map((text) => text.match(OPERATORS)?.length ?? 0),
    },
    {
      ...{ page: EXPRESSIONS, code: 'ValidationException', rule: 'IN has 100 values', max: 100 },
      measure: (call) =>
        expressionsOf(call).flatMap((text) => [...text.matchAll(LISTS)].map(([, list = '']) => list.split(',').length)),
    },
  ],
} satisfies Readonly<Record<string, readonly DocumentedLimit[]>>;

/** Returns the first limit that the parameters exceed, with AWS's code; undefined when they exceed none. */
export function documentedProblem(about: keyof typeof DOCUMENTED_LIMITS, parameters: JsonRecord) {
  const limits: readonly DocumentedLimit[] = DOCUMENTED_LIMITS[about];
  const limit = limits.find(({ measure, max = 0 }) => measure(parameters).some((measured) => !(measured <= max)));
  return limit && { code: limit.code, message: `Parameter is not valid. ${limit.rule}: ${limit.page}` };
}

const hasValue = (attribute: Json): boolean =>
  isObject(attribute) && [attribute.StringValue, attribute.BinaryValue].some((value) => (value ?? '') !== '');

/** Returns the expressions of a call, also those of the members of a transaction. */
const expressionsOf = (value: Json): readonly string[] =>
  isObject(value) || isList(value)
    ? Object.entries(value).flatMap(([name, part]) =>
        name.endsWith('Expression') && typeof part === 'string' ? [part] : expressionsOf(part),
      )
    : [];
const OPERATORS = /<>|<=|>=|[<>=+-]|\b(?:AND|OR|NOT|BETWEEN|IN)\b|\b[a-z_]+\s?\(/g;
const LISTS = /\bIN\s?\(([^)]*)\)/gi;

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
