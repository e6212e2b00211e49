import { METHODS } from '../../src/contract/actions.ts';
import * as limits from '../../src/contract/limits.ts';
import { allDocuments, type Document, readDocument, tableRows } from './documents.ts';

const KB = 1024;
const [firstPause, secondPause] = limits.EVENT_RETRY_DELAYS_SECONDS;
const seconds = limits.OUTBOUND_TIMEOUT_MS / 1000;

/** The rows of docs/limits.md, computed from the contract. */
const ROWS: Readonly<Record<string, string>> = {
  'Session create rate': `${limits.SESSION_CREATE_PER_MINUTE} requests per minute per IP`,
  'Hourly request limit': `per assistant, 1 to ${limits.HOURLY_RATE_LIMIT_MAX} requests per clock hour`,
  'Outbound quota': `none unless set; 1 to ${limits.DAILY_OUTBOUND_QUOTA_MAX} requests per UTC day`,
  'Form submission rate': `${limits.FORM_SUBMISSIONS_PER_MINUTE} per minute`,
  'Form submissions of an assistant': `${limits.FORM_SUBMISSIONS_PER_HOUR} per clock hour unless the operator sets another number`,
  'Test rate': `${limits.ACTION_TESTS_PER_MINUTE} per minute`,
  '`ttl_minutes`': `default ${limits.TTL_MINUTES_DEFAULT}, range ${limits.TTL_MINUTES_MIN} to ${limits.TTL_MINUTES_MAX}`,
  '`user_id`': `rejected above ${limits.USER_ID_MAX_CHARACTERS} characters`,
  '`user_name`': `truncated to ${limits.USER_NAME_MAX_CHARACTERS} characters`,
  '`user_email`': `truncated to ${limits.USER_EMAIL_MAX_CHARACTERS} characters`,
  '`context`': `at most ${limits.CONTEXT_MAX_BYTES} bytes serialized`,
  '`usage_webhook.secret`': `${limits.USAGE_WEBHOOK_SECRET_MIN_CHARACTERS} to ${limits.USAGE_WEBHOOK_SECRET_MAX_CHARACTERS} characters`,
  'Session token': `at most ${limits.SESSION_TOKEN_MAX_BYTES} bytes`,
  'Endpoint scheme': 'https only',
  Methods: METHODS.join(', '),
  'URL length': `${limits.URL_MAX_CHARACTERS} characters as typed; encoded ${limits.URL_ENCODED_MAX_BYTES} bytes, of a usage webhook ${limits.USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES}`,
  Timeout: `${seconds} seconds per attempt`,
  Redirects: 'not followed',
  'Requests in flight': `${limits.REQUESTS_IN_FLIGHT_PER_ORGANIZATION} per organization at once`,
  'Response read': `first ${limits.RESPONSE_READ_MAX_BYTES / KB / KB} MB`,
  'Assistants per organization': `${limits.ASSISTANTS_PER_ORGANIZATION} unless the operator sets 1 to ${limits.ASSISTANTS_PER_ORGANIZATION_MAX}`,
  'Actions per organization': `${limits.ACTIONS_PER_ORGANIZATION}`,
  'Size of an Action': `${limits.ACTION_MAX_BYTES / KB} KB of JSON`,
  'Levels of objects and lists in the `data` of an event': `${limits.EVENT_DATA_MAX_LEVELS}`,
  'Event Action attempts': `${limits.EVENT_ATTEMPTS}, pauses of ${firstPause} s then ${secondPause} s`,
  'AI-decided calls': `${limits.AI_CALLS_PER_CONVERSATION} per conversation`,
  'AI-decided description': `${limits.AI_DESCRIPTION_MIN_CHARACTERS} to ${limits.AI_DESCRIPTION_MAX_CHARACTERS} characters`,
  'AI-decided parameters': `${limits.PARAMETERS_MAX_PROPERTIES} properties, ${limits.PARAMETERS_MAX_BYTES / KB} KB of JSON`,
  'Pattern of a parameter': `${limits.PATTERN_MAX_CHARACTERS} characters, ${limits.PATTERN_MAX_INSTRUCTIONS} instructions of RE2; all of an Action ${limits.PATTERNS_MAX_INSTRUCTIONS} instructions; instructions times characters of the arguments ${limits.PATTERN_WORK_MAX} in a call`,
  'Response field map': `${limits.PARAMETERS_MAX_PROPERTIES} entries, paths of ${limits.FIELD_PATH_MAX_CHARACTERS} characters; values of ${limits.TOOL_RESPONSE_MAX_BYTES / KB / KB} MB together`,
  'Non-JSON response passed to the assistant': `first ${limits.NON_JSON_RESPONSE_CHARACTERS} characters`,
  'Delivery log response excerpt': `first ${limits.RESPONSE_EXCERPT_CHARACTERS} characters`,
  'Form field key': `above ${limits.FORM_KEY_MAX_CHARACTERS} characters dropped`,
  'Form string value': `above ${limits.FORM_STRING_MAX_CHARACTERS} characters dropped`,
  'Form list value': `${limits.FORM_LIST_MAX_ITEMS} items, each truncated to ${limits.FORM_LIST_ITEM_MAX_CHARACTERS} characters; longer lists dropped`,
  'Form fields': `1 to ${limits.FORM_FIELDS_MAX}`,
  Names: `${limits.NAME_MAX_CHARACTERS} characters`,
  'Names of parameters and of mapped fields': `${limits.PARAMETER_NAME_MAX_CHARACTERS} characters`,
  'Description of a parameter': `${limits.PARAMETER_DESCRIPTION_MAX_CHARACTERS} characters`,
  'Values of `enum` of a parameter': `1 to ${limits.PARAMETER_ENUM_MAX_VALUES}, each ${limits.PARAMETER_ENUM_VALUE_MAX_CHARACTERS} characters`,
  '`referrer`': `truncated to ${limits.REFERRER_MAX_CHARACTERS} characters`,
  'Allowed Domains': `${limits.ALLOWED_DOMAINS_MAX} entries`,
  'IP allowlist': `${limits.IP_ALLOWLIST_MAX} entries`,
  'Request body': `at most ${limits.REQUEST_BODY_MAX_BYTES / KB} KB; larger is 413`,
  Conversation: `forgotten after ${limits.CONVERSATION_TTL_SECONDS / 24 / 3600} days`,
};

/** How sentences state a limit. The groups of a pattern must capture these numbers, in every document. */
const STATEMENTS: readonly { readonly numbers: readonly (number | undefined)[]; readonly pattern: RegExp }[] = [
  { numbers: [limits.SESSION_CREATE_PER_MINUTE], pattern: /(\S+) requests per minute (?:per|from one|and) IP/g },
  { numbers: [limits.SESSION_CREATE_PER_MINUTE], pattern: /(\S+) session creates per minute/g },
  { numbers: [limits.FORM_SUBMISSIONS_PER_MINUTE], pattern: /Form submissions: (\S+) per minute/g },
  { numbers: [limits.FORM_SUBMISSIONS_PER_MINUTE], pattern: /(\S+) (?:form )?submissions per minute/g },
  { numbers: [limits.ACTION_TESTS_PER_MINUTE], pattern: /also while the Action is off; (\S+) per minute/g },
  { numbers: [limits.TTL_MINUTES_DEFAULT], pattern: /anything else falls back to (\d+)/g },
  { numbers: [limits.USER_ID_MAX_CHARACTERS], pattern: /`user_id` \| string[^|]*\| \D*(\d+) characters/g },
  { numbers: [limits.USER_ID_MAX_CHARACTERS], pattern: /user_id: must be at most (\d+)/g },
  { numbers: [limits.USER_NAME_MAX_CHARACTERS], pattern: /`user_name` \| string[^|]*\| truncated to (\d+)/gi },
  { numbers: [limits.USER_EMAIL_MAX_CHARACTERS], pattern: /`user_email` \| string[^|]*\| truncated to (\d+)/gi },
  { numbers: [limits.USAGE_WEBHOOK_SECRET_MIN_CHARACTERS], pattern: /"secret": "at least (\d+) characters/g },
  { numbers: [limits.SESSION_TOKEN_MAX_BYTES], pattern: /`exp`, at most (\d+) bytes/g },
  {
    numbers: [limits.URL_MAX_CHARACTERS],
    pattern: /(?:https`?|https?:\/\/`|https endpoint), at most (\d+) characters/g,
  },
  { numbers: [limits.URL_MAX_CHARACTERS], pattern: /longer than (\d+) characters, malformed/g },
  { numbers: [seconds], pattern: /(?:status|answer|none|2xx as soon as it is stored\*\*,) within (\d+) seconds/g },
  { numbers: [seconds], pattern: /over after (\d+) seconds/g },
  { numbers: [seconds], pattern: /call takes at most (\d+) seconds/g },
  { numbers: [limits.RESPONSE_READ_MAX_BYTES / KB / KB], pattern: /first (\d+) MB/g },
  { numbers: [limits.EVENT_ATTEMPTS], pattern: /\b(\d+|one|two|three|four|five) attempts,/g },
  {
    numbers: [limits.EVENT_ATTEMPTS, firstPause, secondPause],
    pattern: /(\d+), pauses of (\d+) s (?:and|then) (\d+) s/g,
  },
  { numbers: [firstPause, secondPause], pattern: /attempts, (\d+) s(?:econds)? and (\d+) s(?:econds)? apart/g },
  { numbers: [firstPause, secondPause], pattern: /after (\d+) seconds, (?:then after|attempt 3 after) (\d+)/g },
  { numbers: [firstPause], pattern: /(\d+) seconds after attempt 1 failed/g },
  { numbers: [secondPause], pattern: /(\d+) seconds after attempt 2 failed/g },
  { numbers: [limits.AI_CALLS_PER_CONVERSATION], pattern: /(\S+) calls (?:per|in a) conversation/g },
  { numbers: [limits.AI_CALLS_PER_CONVERSATION + 1], pattern: /the (\S+) call in a conversation/g },
  {
    numbers: [limits.AI_DESCRIPTION_MIN_CHARACTERS, limits.AI_DESCRIPTION_MAX_CHARACTERS],
    pattern: /at least (\d+) characters \(at most (\d+)\)\. Tells/g,
  },
  { numbers: [limits.NON_JSON_RESPONSE_CHARACTERS], pattern: /not JSON \| the first (\d+) characters/g },
  { numbers: [limits.RESPONSE_EXCERPT_CHARACTERS], pattern: /first (\d+) characters of the\s+response/g },
  { numbers: [limits.FORM_KEY_MAX_CHARACTERS], pattern: /\| Key \| at most (\d+) characters/g },
  { numbers: [limits.FORM_FIELDS_MAX], pattern: /Form fields \| 1 to (\d+)/g },
  { numbers: [limits.NAME_MAX_CHARACTERS], pattern: /(?:--name <name> +|Name \| required, )at most (\d+) characters/g },
  { numbers: [limits.REQUEST_BODY_MAX_BYTES / KB], pattern: /over\s+(\d+) KB is a 413/g },
  { numbers: [limits.CONVERSATION_TTL_SECONDS / 24 / 3600], pattern: /per site, and keeps them (\d+) days/g },
];

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

function numberOf(text: string): number {
  const word = text.toLowerCase();
  if (WORDS.includes(word)) return WORDS.indexOf(word);
  return ORDINALS.includes(word) ? ORDINALS.indexOf(word) : Number(word.replace(/^\D+/, ''));
}

/** Returns the statements of these documents whose numbers differ from the contract. */
function wrongLimits(documents: readonly Document[]): readonly string[] {
  return STATEMENTS.flatMap(({ numbers, pattern }) =>
    documents.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)]
        .filter(([, ...stated]) => stated.some((number, index) => numberOf(number) !== numbers[index]))
        .map(([statement]) => `${path}: ${statement}`),
    ),
  );
}

const tableOf = (document: Document) =>
  Object.fromEntries(tableRows(document, '| Limit | Value | Applies to |').map(([name, value]) => [name, value]));

const documents = allDocuments();

test('docs/limits.md states every limit of the contract, and no other number', () => {
  expect(tableOf(readDocument('docs/limits.md'))).toEqual(ROWS);
});

test('no sentence of a document states another limit', () => {
  expect(wrongLimits(documents)).toEqual([]);
});

test('every pattern finds a sentence', () => {
  const idle = STATEMENTS.filter(({ pattern }) => !documents.some(({ text }) => text.match(pattern)));
  expect(idle.map(({ pattern }) => pattern.source)).toEqual([]);
});

test('finds a wrong limit in the table and in every sentence', () => {
  const limitsPage = readDocument('docs/limits.md');
  const altered = { ...limitsPage, text: limitsPage.text.replace('20 requests per minute', '25 requests per minute') };
  expect(tableOf(altered)).not.toEqual(ROWS);
  const unseen = STATEMENTS.filter(({ pattern }) => {
    const [statement = '', number = ''] = documents.flatMap(({ text }) => [...text.matchAll(pattern)])[0] ?? [];
    const faulty = statement.replace(number, '7');
    return wrongLimits([{ path: 'faulty', text: faulty }]).length === 0;
  });
  expect(unseen.map(({ pattern }) => pattern.source)).toEqual([]);
});
