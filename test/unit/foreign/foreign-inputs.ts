import { fieldsOf, jsonLine, plainText } from '../../../cli/output.ts';
import { currentAction } from '../../../dashboard/src/session/problems.ts';
import { verifyAction } from '../../../packages/receiver/src/index.ts';
import { readResponseHead } from '../../../src/adapters/outbound/response-head.ts';
import { sessionTokens } from '../../../src/adapters/secrets/session-tokens.ts';
import { formsInOrder } from '../../../src/contract/action-kinds.ts';
import { actionInput, type ParametersSchema } from '../../../src/contract/actions.ts';
import { assistantInput } from '../../../src/contract/assistants.ts';
import { closestName } from '../../../src/contract/closest-name.ts';
import { EVENT_NAMES } from '../../../src/contract/events.ts';
import {
  exceedsLevels,
  jsonBytes,
  keyText,
  nameText,
  parseEndpointUrl,
  proseText,
} from '../../../src/contract/fields.ts';
import { pageHost, readHostEntry } from '../../../src/contract/hosts.ts';
import { toolRequest } from '../../../src/contract/invocations.ts';
import { memberInput } from '../../../src/contract/organizations.ts';
import { checkPage } from '../../../src/contract/page-check.ts';
import { busEvent, deliveryMessage, droppedEvent } from '../../../src/contract/queues.ts';
import { sessionCreateRequest } from '../../../src/contract/sessions.ts';
import { slugOf } from '../../../src/contract/slug.ts';
import { toolResponse } from '../../../src/domain/actions/call-tool.ts';
import { checkArguments } from '../../../src/domain/actions/parameters.ts';
import { cleanFormValues } from '../../../src/domain/actions/submit-form.ts';
import { ttlSeconds } from '../../../src/domain/auth/create-session.ts';
import { normalizeIpAddress } from '../../../src/domain/auth/ip-addresses.ts';
import { siteOfServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { canonicalJson } from '../../../src/domain/canonical-json.ts';
import { responseText } from '../../../src/domain/delivery/response-text.ts';
import { withoutWithheld } from '../../../src/domain/delivery/signature.ts';
import { parseJson } from '../../../src/domain/parse-json.ts';
import { inputOf, Refusal } from '../../../src/domain/refusal.ts';
import { preflightHeaders } from '../../../src/functions/widget-request.ts';
import { readNumber } from '../../../widget/numbers.ts';
import { answered } from '../../fakes/delivery.ts';

const KB = 1024;

/** Something that a foreigner sends, long in one dimension. */
export type ForeignInput = {
  readonly name: string;
  /** Length in characters. */
  readonly limit: number;
  /** Prepares a text of about this length, and returns what reads it. */
  readonly reader: (length: number) => () => unknown;
};

/** Returns about `length` characters of a part that is repeated. */
const repeated = (part: string, length: number) => part.repeat(Math.ceil(length / part.length));
/** Returns the JSON of about `length` characters with items that this function makes. */
const listed = (length: number, item: (index: number) => unknown): string => {
  const items: string[] = [];
  for (let size = 0; size < length; size += (items.at(-1)?.length ?? 0) + 1)
    items.push(JSON.stringify(item(items.length)));
  return items.join(',');
};
const list = (length: number, item: (index: number) => unknown) => `[${listed(length, item)}]`;
const object = (length: number, member: (index: number) => readonly [string, unknown]) =>
  `{${listed(length, (index) => Object.fromEntries([member(index)]))
    .replaceAll('},{', ',')
    .slice(1, -1)}}`;
const levels = (length: number, [open, close]: readonly [string, string], inner = '1') => {
  const depth = Math.ceil(length / (open.length + close.length));
  return `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
};
const refused = (work: () => unknown) => () => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

type Row = readonly [name: string, limit: number, text: (length: number) => string];
/** Rows of texts that one function reads. */
const each = (name: string, read: (text: string) => unknown, rows: readonly Row[]): ForeignInput[] =>
  rows.map(([what, limit, text]) => ({
    name: `${name}: ${what}`,
    limit,
    reader: (length) => {
      const made = text(length);
      return () => read(made);
    },
  }));
/** Rows of JSON that one function reads, without the parser. */
const eachParsed = (name: string, read: (value: unknown) => unknown, rows: readonly Row[]): ForeignInput[] =>
  rows.map(([what, limit, text]) => ({
    name: `${name}: ${what}`,
    limit,
    reader: (length) => {
      const value = parseJson(text(length));
      return () => read(value);
    },
  }));

const MB = 1024 * KB;
const BODY = 256 * KB;
const ESCAPED_QUOTES = (length: number) => `"${repeated('\\"', length)}"`;

const JSON_TEXTS: readonly Row[] = [
  ['escaped quotes', MB, ESCAPED_QUOTES],
  ['backslashes', MB, (length) => `"${repeated('\\\\', length)}"`],
  ['names with escapes', MB, (length) => object(length, (index) => [`"\\${index}`, 1])],
  ['names', MB, (length) => object(length, (index) => [`name ${index}`, index])],
  ['names that are integers', MB, (length) => object(length, (index) => [String(9_999_999 - index * 7), index])],
  ['one name', MB, (length) => `{${repeated('"a":1,', length)}"a":2}`],
  ['lists in lists', MB, (length) => levels(length, ['[', ']'], '1.0')],
  ['objects in objects', MB, (length) => levels(length, ['{"a":', '}'], '1.0')],
  ['white space', MB, (length) => `[${repeated(' ', length)}1.0]`],
  ['white space after brackets in a text', MB, (length) => `["${repeated('[  ', length)}",1e400]`],
  ['digits', MB, (length) => `[${repeated('9', length)}]`],
  ['digits after a point', MB, (length) => `[0.${repeated('1', length)}]`],
  ['numbers of 19 digits', MB, (length) => `[${repeated('2512292042121000001,', length)}1]`],
  ['numbers with a last zero', MB, (length) => `[${repeated('1.0,', length)}1]`],
  ['small numbers', MB, (length) => `[${repeated('1,', length)}1]`],
  ['texts', MB, (length) => `[${repeated('"a",', length)}1]`],
];

const actionOf = (settings: string) =>
  `{"trigger":"AI-decided","name":"A","url":"https://a.example/","description":"An Action of a test",${settings}}`;
const formOf = (fields: string) => `{"trigger":"Form","name":"A","url":"https://a.example/","form_fields":${fields}}`;
const formField = (key: string) => ({ key, label: 'A', type: 'Text' });
const assistantOf = (settings: string) => `{"name":"A","hourly_rate_limit":1,${settings}}`;

const INPUTS: readonly ForeignInput[] = [
  eachParsed('a new Action', (value) => refused(() => inputOf(actionInput, value))(), [
    ['form fields with one key', BODY, (length) => formOf(list(length, () => formField('a')))],
    ['form fields', BODY, (length) => formOf(list(length, (index) => formField(`a${index}`)))],
    ['form fields of a wrong type', BODY, (length) => formOf(`[${repeated('1,', length)}1]`)],
    [
      'mapped fields',
      BODY,
      (length) => actionOf(`"response_field_map":${list(length, () => ({ name: 'a', path: '$.a' }))}`),
    ],
    [
      'mapped names',
      BODY,
      (length) => actionOf(`"response_field_map":${object(length, (index) => [`a${index}`, '$.a'])}`),
    ],
    [
      'names with spaces',
      BODY,
      (length) => actionOf(`"response_field_map":${object(length, (index) => [`a${index} `, '$'])}`),
    ],
    ['a path', BODY, (length) => actionOf(`"response_field_map":{"a":"$${repeated('.a', length)}"}`)],
    [
      'values of a parameter',
      BODY,
      (length) =>
        actionOf(`"parameters":{"properties":{"a":{"type":"number","enum":${list(length, (index) => index)}}}}`),
    ],
    [
      'digits of a value',
      BODY,
      (length) => actionOf(`"parameters":{"properties":{"a":{"type":"number","enum":[${repeated('9', length)}]}}}`),
    ],
    ['required names', BODY, (length) => actionOf(`"parameters":{"required":${list(length, (index) => `a${index}`)}}`)],
    [
      'settings that nobody knows',
      BODY,
      (length) => actionOf(object(length, (index) => [`b${index}`, 1]).slice(1, -1)),
    ],
    ['levels', BODY, (length) => actionOf(`"parameters":${levels(length, ['[', ']'])}`)],
    [
      'a pattern',
      BODY,
      (length) =>
        actionOf(`"parameters":{"properties":{"a":{"type":"string","pattern":"${repeated('(a*)*', length)}"}}}`),
    ],
    [
      'an address',
      BODY,
      (length) => `{"trigger":"Event","name":"A","events":[],"url":"https://${repeated('a.', length)}"}`,
    ],
  ]),
  eachParsed('a new assistant', (value) => refused(() => inputOf(assistantInput, value))(), [
    ['domains', BODY, (length) => assistantOf(`"allowed_domains":${list(length, (index) => `a${index}.example`)}`)],
    ['addresses', BODY, (length) => assistantOf(`"ip_allowlist":${list(length, () => '::1')}`)],
    ['an order of forms', BODY, (length) => assistantOf(`"form_order":${list(length, (index) => `form_${index}`)}`)],
  ]),
  each('parseJson', parseJson, JSON_TEXTS),
  eachParsed('exceedsLevels', (value) => exceedsLevels(value, 500), [
    ['items', MB, (length) => list(length, () => [[1]])],
    ['levels', MB, (length) => levels(length, ['[', ']'])],
  ]),
  eachParsed('jsonBytes', jsonBytes, [['names', MB, (length) => object(length, (index) => [`a${index}`, {}])]]),
  eachParsed('canonicalJson', canonicalJson, [
    ['names', 64 * KB, (length) => object(length, (index) => [`name ${index}`, index])],
    ['letters outside ASCII', 64 * KB, (length) => `"${repeated('é', length)}"`],
    ['items', 64 * KB, (length) => list(length, (index) => index)],
  ]),
  each('an entry of a domain', readHostEntry, [
    ['dots', 64 * KB, (length) => repeated('a.', length)],
    ['colons', 64 * KB, (length) => repeated('1:', length)],
    ['digits', 64 * KB, (length) => `a:${repeated('1', length)}x`],
    ['white space', 64 * KB, (length) => `a${repeated(' ', length)}b`],
    ['brackets', 64 * KB, (length) => repeated('[', length)],
    ['a scheme', 64 * KB, (length) => repeated('a', length)],
  ]),
  each('a Referer', pageHost, [
    ['dots', 64 * KB, (length) => `https://${repeated('a.', length)}`],
    ['a port', 64 * KB, (length) => `https://a:${repeated('1', length)}`],
    ['colons', 64 * KB, (length) => `https://${repeated('1:', length)}`],
    ['a scheme', 64 * KB, (length) => repeated('a', length)],
  ]),
  each(
    'the address of a page',
    (text) =>
      checkPage(text, {
        authentication_mode: 'Allowed Websites',
        enabled: true,
        domain: 'a.example',
        allowed_domains: [text],
      }),
    [
      ['slashes', 64 * KB, (length) => `https:${repeated('/', length)}`],
      ['letters of other scripts', 64 * KB, (length) => `https://${repeated('ü.', length)}`],
    ],
  ),
  each('an endpoint URL', parseEndpointUrl, [
    ['slashes', BODY, (length) => `https://a.example/${repeated('/', length)}`],
  ]),
  each('a name', (text) => nameText({ min: 1, max: 100 }).safeParse(text), [
    ['spaces', BODY, (length) => `a${repeated(' ', length)}a`],
    ['invisible characters', BODY, (length) => repeated('\u200b', length)],
    ['half emojis', BODY, (length) => repeated('\ud83d', length)],
  ]),
  each('a description', (text) => proseText({ min: 1, max: 1000 }).safeParse(text), [
    ['lines', BODY, (length) => repeated('a\n', length)],
  ]),
  each('a key', (text) => keyText({ min: 1, max: 100 }).safeParse(text), [
    ['spaces', BODY, (length) => `a${repeated(' ', length)}`],
  ]),
  each('a slug', (text) => slugOf(text, 'act_1'), [['accents', BODY, (length) => `e${repeated('\u0301', length)}`]]),
  eachParsed('the values of a form', (value) => cleanFormValues(Object(value)), [
    ['names', BODY, (length) => object(length, (index) => [`a${index}`, 'a'])],
    ['items', BODY, (length) => `{"a":${list(length, () => 'a')}}`],
    ['levels of an item', BODY, (length) => `{"a":[${levels(length, ['[', ']'])}]}`],
    ['letters of an item', BODY, (length) => `{"a":["${repeated('a', length)}"]}`],
  ]),
  eachParsed('session create', (value) => sessionCreateRequest.safeParse(value), [
    ['a user id', BODY, (length) => `{"user_id":"${repeated('a', length)}"}`],
    ['a context', BODY, (length) => `{"context":${object(length, (index) => [`a${index}`, 1])}}`],
  ]),
  each('ttl_minutes', ttlSeconds, [
    ['spaces', BODY, (length) => `1${repeated(' ', length)}x`],
    ['digits', BODY, (length) => `${repeated('1', length)}x`],
  ]),
  each('a server secret', siteOfServerSecret, [['underscores', 64 * KB, (length) => `ss_${repeated('_', length)}`]]),
  each('an IP address', normalizeIpAddress, [
    ['colons', 64 * KB, (length) => repeated(':', length)],
    ['groups', 64 * KB, (length) => repeated('1:', length)],
    ['dots', 64 * KB, (length) => repeated('1.', length)],
    ['zeros', 64 * KB, (length) => repeated('0', length)],
    ['white space', 64 * KB, (length) => `1${repeated(' ', length)}1`],
  ]),
  each('a member', (email) => memberInput.safeParse({ role: 'admin', email }), [
    ['dots', BODY, (length) => repeated('a.', length)],
    ['labels', BODY, (length) => `a@${repeated('a.', length)}`],
    ['hyphens', BODY, (length) => `a@${repeated('a-', length)}`],
  ]),
  each('requested headers', (text) => preflightHeaders('https://a.example', text), [
    ['commas', 64 * KB, (length) => repeated(',', length)],
    ['names', 64 * KB, (length) => repeated('a,', length)],
    ['spaces', 64 * KB, (length) => `a${repeated(' ', length)}b`],
  ]),
  each('a session token', (text) => TOKENS.siteOfToken(text), [
    ['dots', 64 * KB, (length) => repeated('.', length)],
    [
      'a payload',
      64 * KB,
      (length) => `a.${Buffer.from(`{"site_id":"${repeated('a', length)}"}`).toString('base64url')}.a`,
    ],
    [
      'a payload of levels',
      64 * KB,
      (length) => `a.${Buffer.from(levels(length, ['[', ']'])).toString('base64url')}.a`,
    ],
  ]),
  eachParsed('a message', (value) => busEvent.safeParse(value).success || droppedEvent.parse(value), [
    [
      'names of the data',
      MB,
      (length) =>
        `{"id":"1","detail-type":"test.ping","time":"","detail":{"org_id":"a","data":${object(length, (index) => [`a${index}`, 1])}}}`,
    ],
    ['a name', MB, (length) => `{"id":"1","detail-type":"${repeated('a', length)}"}`],
  ]),
  eachParsed('a delivery', (value) => deliveryMessage.safeParse(value), [
    [
      'an Action',
      MB,
      (length) => `{"version":1,"action_id":"${repeated('a', length)}","replay":"${repeated('0', length)}"}`,
    ],
  ]),
  eachParsed('a call of a tool', (value) => toolRequest.safeParse(value), [
    [
      'arguments',
      MB,
      (length) => `{"operation":"callTool","arguments":${object(length, (index) => [`a${index}`, 1e300])}}`,
    ],
  ]),
  eachParsed('arguments', (value) => checkArguments(PARAMETERS, { number: value, text: value, email: value }), [
    ['digits', MB, (length) => repeated('9', length)],
    ['zeros', MB, (length) => `1.${repeated('0', length)}`],
    ['an address', MB, (length) => `"${repeated('a.', length)}"`],
  ]),
  each('a response for the assistant', (text) => toolResponse(text, FIELD_MAP), [
    ['names', MB, (length) => object(length, (index) => [`a${index}`, index])],
    ['levels of one name', MB, (length) => `{"a":{"a":{"a":{"a":${list(length, (index) => index)}}}}}`],
    ['half emojis', MB, (length) => `{"a":"${repeated('\\ud83d', length)}"}`],
    ['backslashes', MB, (length) => `{"a":"${repeated('\\\\', length)}"}`],
    ['text', MB, (length) => repeated('a ', length)],
  ]),
  each('a response of an endpoint', (text) => answered(200, text, null, WITHHELD), [
    ['the beginning of the signature', MB, (length) => repeated('0123456789abcdef', length)],
  ]),
  each('a text without what is withheld', (text) => withoutWithheld(text, WITHHELD), [
    ['the beginning of the signature', MB, (length) => repeated('0123456789abcdef', length)],
    ['its first letter', MB, (length) => repeated('0', length)],
  ]),
  each('a head of an endpoint, byte by byte', byteByByte, [
    ['a name of a header', 16 * KB, (length) => `HTTP/1.1 200 OK\r\n${repeated('a', length)}`],
    ['white space of a header', 16 * KB, (length) => `HTTP/1.1 200 OK\r\nContent-Length:${repeated(' ', length)}x`],
    ['a reason', 16 * KB, (length) => `HTTP/1.1 200 ${repeated('a ', length)}`],
    ['lengths', 16 * KB, (length) => `HTTP/1.1 200 OK\r\nContent-Length: ${repeated('1,', length)}\r\n\r\n`],
    ['headers', 32 * KB, (length) => `HTTP/1.1 200 OK\r\n${repeated(`${'a'.repeat(254)}\r\n`, length)}\r\n`],
    [
      'a folded header',
      32 * KB,
      (length) => `HTTP/1.1 200 OK\r\na:${repeated(`\r\n ${'a'.repeat(253)}`, length)}\r\n\r\n`,
    ],
    ['1xx answers', 32 * KB, (length) => repeated(`HTTP/1.1 103 ${'a'.repeat(239)}\r\n\r\n`, length)],
  ]),
  each('a Content-Type', (text) => responseText(Buffer.from('{}'), text), [
    ['white space', 64 * KB, (length) => repeated('\u00a0', length)],
    ['semicolons', 64 * KB, (length) => repeated('; ', length)],
    ['charsets', 64 * KB, (length) => repeated('; charset=', length)],
    ['slashes', 64 * KB, (length) => repeated('a/', length)],
  ]),
  each('a name of an event', (text) => closestName(text, EVENT_NAMES, 3), [
    ['letters', MB, (length) => repeated('a', length)],
  ]),
  each('an order of forms', (text) => formsInOrder(FORMS, text.split(',')), [
    ['ids', 64 * KB, (length) => repeated('form,', length)],
  ]),
  each('a signature', (text) => refusedByReceiver('{}', text), [
    ['commas', 64 * KB, (length) => repeated(',', length)],
    ['names', 64 * KB, (length) => repeated('v1=0,', length)],
  ]),
  each('a body of a receiver', (text) => refusedByReceiver(text, 't=1,v1=0'), JSON_TEXTS.slice(0, 4)),
  each('a secret of a receiver', (text) => refusedByReceiver('{}', `t=1,v1=${'0'.repeat(64)}`, text), [
    ['white space', 64 * KB, (length) => repeated(' ', length)],
    ['quotes', 64 * KB, (length) => `a${repeated('"', length)}a`],
  ]),
  each('a line on a terminal', plainText, [['controls', BODY, (length) => repeated('\u001b', length)]]),
  eachParsed('an object on a terminal', (value) => fieldsOf(Object(value)), [
    ['names', MB, (length) => object(length, (index) => [`a${index}`, index])],
    ['items', MB, (length) => `{"a":${list(length, (index) => index)}}`],
  ]),
  eachParsed('a log line', jsonLine, [
    ['names', MB, (length) => object(length, (index) => [`a${index}\u202e`, index])],
  ]),
  each('a number in a form', (text) => readNumber(text, { number: '', zeros: '', ambiguous: '' }), [
    ['digits', 8 * KB, (length) => repeated('1', length)],
    ['digits of another script', 8 * KB, (length) => repeated('٩', length)],
    ['separators', 8 * KB, (length) => repeated('1.', length)],
    ['direction marks', 8 * KB, (length) => repeated('\u200e', length)],
  ]),
  eachParsed('an answer in the dashboard', currentAction, [
    ['names', MB, (length) => object(length, (index) => [`a${index}`, index])],
  ]),
].flat();
export const FOREIGN_INPUTS = INPUTS;

function byteByByte(text: string): unknown {
  const head = readResponseHead();
  for (const byte of Buffer.from(text, 'latin1')) head.read(Buffer.of(byte));
  return head.bodyBytes();
}

const RING = { currentKey: () => Promise.reject(new Error('nothing is signed')), verifyingKey: async () => undefined };
const TOKENS = sessionTokens(RING, () => new Date(0));
const WITHHELD = ['0123456789abcdef'.repeat(4), `whsec_${'a'.repeat(43)}`];
const FIELD_MAP = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`f${index}`, `$${'.a'.repeat((index % 4) + 1)}`]),
);
const FORMS = Array.from({ length: 50 }, (_, index) => ({ action_id: `form_${index}`, created_at: '' }));
const PARAMETERS: ParametersSchema = {
  type: 'object',
  properties: {
    number: { type: 'number', enum: Array.from({ length: 100 }, (_, index) => index) },
    text: { type: 'string', pattern: '^(a*)*$' },
    email: { type: 'string', format: 'email' },
  },
  required: [],
};

function refusedByReceiver(
  body: string,
  signature: string,
  secret = 'whsec_1234567890123456789012345678901234567890',
): unknown {
  try {
    return verifyAction(body, { 'x-service-signature': signature }, { trigger: 'event', secret });
  } catch (error) {
    return error;
  }
}
