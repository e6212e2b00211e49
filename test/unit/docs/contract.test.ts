import { globSync, readdirSync, readFileSync } from 'node:fs';
import { openApiDocument } from '../../../scripts/openapi.ts';
import { ACTION_SETTINGS } from '../../../src/contract/actions.ts';
import { DASHBOARD_API_PATH, DASHBOARD_OPERATIONS } from '../../../src/contract/dashboard-operations.ts';
import { FAILURE_CODES, type FailureCode } from '../../../src/contract/delivery-record.ts';
import { INTERNAL_ERROR, REFUSALS, type RefusalCode } from '../../../src/contract/errors.ts';
import { EVENT_CATALOG, EVENT_NAMES } from '../../../src/contract/events.ts';
import { refusedInvocation, toolRequest, usageReport } from '../../../src/contract/invocations.ts';
import * as limits from '../../../src/contract/limits.ts';
import {
  ACTION_HEADERS,
  COMMON_HEADERS,
  SIGNATURE_HEADER,
  USAGE_HEADERS,
} from '../../../src/contract/outbound-headers.ts';
import { PUBLIC_OPERATIONS } from '../../../src/contract/public-operations.ts';
import { isRetried } from '../../../src/domain/delivery/outcome.ts';
import {
  allCode,
  allDocuments,
  type Document,
  hasWords,
  prose,
  readDocument,
  samples,
  tableRows,
} from './documents.ts';

/** Compares figures, names, messages and routes in the documents with the contract. */

const documents = allDocuments();
const KB = 1024;
const [firstPause = 0, secondPause = 0] = limits.EVENT_RETRY_DELAYS_SECONDS;
const seconds = limits.OUTBOUND_TIMEOUT_MS / 1000;

/** The numbers in the rows of docs/limits.md, in their order. */
const ROWS: Readonly<Record<string, readonly number[]>> = {
  'Session create rate': [limits.SESSION_CREATE_PER_MINUTE],
  'Hourly request limit': [1, limits.HOURLY_RATE_LIMIT_MAX],
  'Outbound quota': [1, limits.DAILY_OUTBOUND_QUOTA_MAX],
  'Form submission rate': [limits.FORM_SUBMISSIONS_PER_MINUTE],
  'Form submissions of an assistant': [limits.FORM_SUBMISSIONS_PER_HOUR],
  'Test rate': [limits.ACTION_TESTS_PER_MINUTE],
  '`ttl_minutes`': [limits.TTL_MINUTES_DEFAULT, limits.TTL_MINUTES_MIN, limits.TTL_MINUTES_MAX],
  '`user_id`': [limits.USER_ID_MAX_CHARACTERS],
  '`user_name`': [limits.USER_NAME_MAX_CHARACTERS],
  '`user_email`': [limits.USER_EMAIL_MAX_CHARACTERS],
  '`context`': [limits.CONTEXT_MAX_BYTES],
  '`usage_webhook.secret`': [limits.USAGE_WEBHOOK_SECRET_MIN_CHARACTERS, limits.USAGE_WEBHOOK_SECRET_MAX_CHARACTERS],
  'Session token': [limits.SESSION_TOKEN_MAX_BYTES],
  'URL length': [limits.URL_MAX_CHARACTERS, limits.URL_ENCODED_MAX_BYTES, limits.USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES],
  Timeout: [seconds],
  'Requests in flight': [limits.REQUESTS_IN_FLIGHT_PER_ORGANIZATION],
  'Response read': [limits.RESPONSE_READ_MAX_BYTES / KB / KB],
  'Assistants per organization': [limits.ASSISTANTS_PER_ORGANIZATION, 1, limits.ASSISTANTS_PER_ORGANIZATION_MAX],
  'Actions per organization': [limits.ACTIONS_PER_ORGANIZATION],
  'Size of an Action': [limits.ACTION_MAX_BYTES / KB],
  'Levels of objects and lists in the `data` of an event': [limits.EVENT_DATA_MAX_LEVELS],
  '`Detail` of an event': [limits.EVENT_DETAIL_MAX_BYTES],
  'Event Action attempts': [limits.EVENT_ATTEMPTS, firstPause, secondPause],
  'AI-decided calls': [limits.AI_CALLS_PER_CONVERSATION],
  'AI-decided description': [limits.AI_DESCRIPTION_MIN_CHARACTERS, limits.AI_DESCRIPTION_MAX_CHARACTERS],
  'AI-decided parameters': [limits.PARAMETERS_MAX_PROPERTIES, limits.PARAMETERS_MAX_BYTES / KB],
  'Pattern of a parameter': [
    limits.PATTERN_MAX_CHARACTERS,
    limits.PATTERN_MAX_INSTRUCTIONS,
    limits.PATTERNS_MAX_INSTRUCTIONS,
    limits.PATTERN_WORK_MAX,
  ],
  'Response field map': [
    limits.PARAMETERS_MAX_PROPERTIES,
    limits.FIELD_PATH_MAX_CHARACTERS,
    limits.TOOL_RESPONSE_MAX_BYTES / KB / KB,
  ],
  'Non-JSON response passed to the assistant': [limits.NON_JSON_RESPONSE_CHARACTERS],
  'Delivery log response excerpt': [limits.RESPONSE_EXCERPT_CHARACTERS],
  'Form field key': [limits.FORM_KEY_MAX_CHARACTERS],
  'Form string value': [limits.FORM_STRING_MAX_CHARACTERS],
  'Form list value': [limits.FORM_LIST_MAX_ITEMS, limits.FORM_LIST_ITEM_MAX_CHARACTERS],
  'Form fields': [1, limits.FORM_FIELDS_MAX],
  Names: [limits.NAME_MAX_CHARACTERS],
  'Names of parameters and of mapped fields': [limits.PARAMETER_NAME_MAX_CHARACTERS],
  'Description of a parameter': [limits.PARAMETER_DESCRIPTION_MAX_CHARACTERS],
  'Values of `enum` of a parameter': [1, limits.PARAMETER_ENUM_MAX_VALUES, limits.PARAMETER_ENUM_VALUE_MAX_CHARACTERS],
  '`referrer`': [limits.REFERRER_MAX_CHARACTERS],
  'Allowed Domains': [limits.ALLOWED_DOMAINS_MAX],
  'IP allowlist': [limits.IP_ALLOWLIST_MAX],
  'Request body': [limits.REQUEST_BODY_MAX_BYTES / KB, 413],
  Conversation: [limits.CONVERSATION_TTL_SECONDS / 24 / 3600],
};

/** The limits without a row or a sentence: how much one response has. docs/openapi.json says what is in a page. */
const SIZES_OF_RESPONSES = ['ASSISTANTS_PER_PAGE', 'AUDIT_PER_PAGE', 'WRONG_FIELDS_MAX'];

/** How sentences state a limit: the figure beside its name. The groups of a pattern must capture these numbers, in every document. */
const STATEMENTS: readonly (readonly [numbers: readonly number[], pattern: RegExp])[] = [
  [
    [limits.SESSION_CREATE_PER_MINUTE],
    /(\S+) (?:requests per minute (?:per|from one|and) IP|session creates per minute)/g,
  ],
  [[limits.FORM_SUBMISSIONS_PER_MINUTE], /the (\d+) per minute/g],
  [[limits.USER_ID_MAX_CHARACTERS], /`?user_id`?(?: \| string[^|]*\| \D*|: must be at most )(\d+)/g],
  [[limits.USAGE_WEBHOOK_SECRET_MIN_CHARACTERS], /"secret": "at least (\d+) characters/g],
  [[limits.SESSION_TOKEN_MAX_BYTES], /`exp`, at most (\d+) bytes/g],
  [
    [seconds],
    /(?:status|answer|none|stored\*\*,) within (\d+) seconds|over after (\d+) seconds|call takes at most (\d+) seconds/g,
  ],
  [[limits.RESPONSE_READ_MAX_BYTES / KB / KB], /first (\d+) MB/g],
  [[limits.EVENT_ATTEMPTS, firstPause, secondPause], /(\d+), pauses of (\d+) s (?:and|then) (\d+) s/g],
  [[firstPause, secondPause], /attempts, (\d+) s(?:econds)? and (\d+) s(?:econds)? apart/g],
  [[firstPause], /(\d+) seconds after attempt 1 failed/g],
  [[secondPause], /(\d+) seconds after attempt 2 failed/g],
  [[limits.AI_CALLS_PER_CONVERSATION], /(\S+) calls (?:per|in a) conversation/g],
  [[limits.AI_CALLS_PER_CONVERSATION + 1], /the (\S+) call in a conversation/g],
  [[limits.IDEMPOTENCY_KEY_MAX_CHARACTERS], /`idempotency_key` \(1 to (\d+) characters/g],
  [[limits.AUDIT_VALUE_CHARACTERS], /first (\d+) characters of the old and new values/g],
  [[limits.NON_JSON_RESPONSE_CHARACTERS], /not JSON \| the first (\d+) characters/g],
  [[limits.RESPONSE_EXCERPT_CHARACTERS], /first (\d+) characters of the\s+response/g],
  [[limits.FORM_FIELDS_MAX], /Form fields \| 1 to (\d+)/g],
  [[limits.REQUEST_BODY_MAX_BYTES / KB], /over\s+(\d+) KB is a 413/g],
];

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

function numberOf(text: string): number {
  const word = text.toLowerCase();
  if (WORDS.includes(word)) return WORDS.indexOf(word);
  return ORDINALS.includes(word) ? ORDINALS.indexOf(word) : Number(word.replace(/^\D+/, ''));
}

test.each([
  ['site_id', '{"site_id":"<site>"}', true],
  ['Response Map', 'the response map.', true],
  ['site', '{"site_id":"<site_1>"}', false],
  ['tool', '`toolCall`, tools', false],
  ['response map', 'a response mapped', false],
])('%j is found in %j: %p', (words, text, isFound) => {
  expect(hasWords(text, words)).toBe(isFound);
});

const without = (text: string, ...parts: readonly string[]) =>
  parts.reduce((rest, part) => rest.replaceAll(part, ''), text);
const backquoted = (text: unknown) => `\`${text}\``;

describe('limits', () => {
  test('docs/limits.md has the numbers of the contract, and no other', () => {
    const rows = tableRows(readDocument('docs/limits.md'), '| Limit | Value |');
    const numbers = rows.map(([name = '', value = '']): [string, number[]] => [
      name,
      [...value.matchAll(/(?<![\w.])\d[\d,]*/g)].map(([number]) => Number(without(number, ','))),
    ]);
    expect(Object.fromEntries(numbers.filter(([, found]) => found.length > 0))).toEqual(ROWS);
  });

  test('every limit is used by code, and has a row or a sentence', () => {
    const sources = globSync('{src,lambdas,lib,widget,dashboard,cli}/**/*.{ts,tsx}', {
      exclude: ['src/contract/limits.ts', '**/node_modules/**'],
    }).map((path) => readFileSync(path, 'utf8'));
    const unusedIn = (texts: readonly string[]) =>
      Object.keys(limits).filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
    expect(unusedIn(sources)).toEqual([]);
    const here = readFileSync('test/unit/docs/contract.test.ts', 'utf8');
    expect(unusedIn([...here.matchAll(/limits\.\w+/g)].map(String))).toEqual(SIZES_OF_RESPONSES);
  });

  test('no sentence of a document states another limit', () => {
    expect(STATEMENTS.filter(([, pattern]) => !documents.some(({ text }) => text.match(pattern)))).toEqual([]);
    const wrong = STATEMENTS.flatMap(([numbers, pattern]) =>
      documents.flatMap(({ path, text }) =>
        [...text.matchAll(pattern)]
          .filter(
            ([, ...stated]) => String(stated.filter((one) => one !== undefined).map(numberOf)) !== String(numbers),
          )
          .map(([statement]) => `${path}: ${statement}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('messages', () => {
  const ALL = [...Object.entries(REFUSALS), [INTERNAL_ERROR.code, INTERNAL_ERROR] as const];
  const KNOWN = new Map(ALL.map(([code, { status, message }]) => [String(code), [`${status}`, backquoted(message)]]));
  const stated = (path: string, head: string) => tableRows(readDocument(path), head);

  test('every message that a document states is one of the contract, with its status', () => {
    const known = new Set([...KNOWN.values()].map(String));
    // Receivers have their own messages.
    const own = documents.filter(({ path }) => path !== 'docs/getting-started.md');
    const wrong = own.flatMap(({ path, text }) =>
      [...text.matchAll(/\b([45]\d\d)(?: \| | )(`[A-Z][^`]+`)/g)]
        .filter(([, status, message]) => !known.has(`${status},${message}`))
        .map(([statement]) => `${path}: ${statement}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each<[string, readonly RefusalCode[]]>([
    [
      '| Status | Message | What to do |',
      [
        ...(['origin_not_allowed', 'no_allowed_domains', 'origin_required', 'session_token_required'] as const),
        ...(['site_disabled', 'ip_not_allowed', 'rate_limit_exceeded', 'session_token_invalid'] as const),
        ...(['site_not_found', 'credentials_required'] as const),
      ],
    ],
    [
      '| Status | Message | When |',
      ['server_key_required', 'server_key_malformed', 'server_key_invalid', 'rate_limit_exceeded'],
    ],
  ])('docs/authentication.md has every refusal: %s', (head, codes) => {
    const rows = stated('docs/authentication.md', head).map(([status, message]) => [status, message]);
    expect(rows).toEqual(expect.arrayContaining(codes.map((code) => KNOWN.get(code))));
  });

  test('docs/api.md has every code with its status and message', () => {
    const { code = '' } = samples(readDocument('docs/api.md')).find(({ language }) => language === 'text') ?? {};
    const rows = [...code.matchAll(/^(\d+) (\w+) +(.+)$/gm)].map(([, status, name, message]) => [
      status,
      name,
      message,
    ]);
    expect(rows).toEqual(ALL.map(([name, { status, message }]) => [`${status}`, name, message]));
  });

  test('docs/assistant-runtime.md has the messages that the assistant receives', () => {
    const rows = stated('docs/assistant-runtime.md', '| `outcome` | `message` | `response` |');
    const source = readFileSync('src/domain/actions/call-tool.ts', 'utf8');
    const outcomes = [...source.matchAll(/outcome: '(\w+)'/g)].map(([, outcome]) => backquoted(outcome));
    expect(new Set(rows.map(([outcome]) => outcome))).toEqual(new Set(outcomes));
    const messages = rows.map(([, message = '']) => /`([^`]+)`/.exec(message)?.[1] ?? '');
    expect(messages.filter((message) => message === '' || !source.includes(message))).toEqual([]);
  });

  test('docs/assistant-runtime.md names every operation and field of an invocation', () => {
    const code = allCode(readDocument('docs/assistant-runtime.md')).join('\n');
    const fields = [...toolRequest.options, usageReport, usageReport.shape.usage, refusedInvocation].flatMap((one) =>
      Object.keys(one.shape),
    );
    const operations = toolRequest.options.map(({ shape }) => shape.operation.value);
    expect([...fields, ...operations].filter((name) => !hasWords(code, name))).toEqual([]);
  });

  test('docs/delivery.md has every failure code, and says which are retried', () => {
    const head = '| Code | What happened | Event Actions retry | What the customer can do |';
    const rows = stated('docs/delivery.md', head).slice(1);
    const retried = (code: FailureCode) => {
      if (code === 'http_status') return '408, 429 and 5xx only';
      return isRetried(code, null) ? 'yes' : 'no';
    };
    expect(rows.map(([code, , retry]) => [code, retry])).toEqual(
      FAILURE_CODES.map((code) => [backquoted(code), retried(code)]),
    );
  });
});

test('docs/actions.md has every setting, by its label in the dashboard', () => {
  const rows = readFileSync('dashboard/src/screens/action-settings.tsx', 'utf8');
  const labels = [...rows.matchAll(/^ {2}(\w+): \{\s+label: '(.+?)'/gm)];
  expect(labels.map(([, name = '']) => name).sort()).toEqual(
    [...ACTION_SETTINGS].filter((name) => name !== 'trigger').sort(),
  );
  const page = readDocument('docs/actions.md').text;
  expect(labels.filter(([, , label = '']) => !hasWords(page, label))).toEqual([]);
});

describe('the headers of outbound requests', () => {
  const common = Object.entries(COMMON_HEADERS).map(([name, value]) => [backquoted(name), backquoted(value)]);

  test.each([
    ['docs/delivery.md', ACTION_HEADERS],
    ['docs/usage-webhook.md', USAGE_HEADERS],
  ])('%s has them with their values', (page, headers) => {
    const own = Object.entries(headers).map(([name, { value }]) => [backquoted(name), value]);
    expect(tableRows(readDocument(page), '| Header | Value |')).toEqual([...common, ...own]);
  });

  test('the pages of receivers name those of Actions, and which the signature does not cover', () => {
    const namedIn = (text: string) => [...new Set(text.match(/X-Service-[\w-]*\w/g))].sort();
    const names = Object.keys(ACTION_HEADERS).sort();
    expect(namedIn(readDocument('docs/receiving.md').text)).toEqual(names);
    const [, unsigned = ''] =
      /covers the body and its time, and not the headers (.*)\*\*/.exec(
        readFileSync('packages/receiver/README.md', 'utf8'),
      ) ?? [];
    expect(namedIn(unsigned)).toEqual(names.filter((name) => name !== SIGNATURE_HEADER));
  });
});

test('docs/events.md has the catalog, in its order', () => {
  const rows = tableRows(readDocument('docs/events.md'), '| Event | Fires when |');
  expect(rows).toEqual(
    EVENT_NAMES.map((name) => {
      const { firesWhen, reserved } = EVENT_CATALOG[name];
      return [`${backquoted(name)}${reserved ? ' (reserved)' : ''}`, firesWhen];
    }),
  );
});

describe('routes', () => {
  type Operation = { readonly operationId: string; readonly security?: readonly object[] };
  const kept = readFileSync('docs/openapi.json', 'utf8');
  const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = JSON.parse(kept).paths;

  test('docs/openapi.json is current (node scripts/openapi.ts writes it), and has no property for a secret', () => {
    expect(JSON.parse(kept)).toEqual(JSON.parse(openApiDocument()));
    expect(kept).not.toMatch(/signing_secret|"sha256"/);
  });

  test.each([
    ['event', ['408', '429', '2XX', '5XX', 'default'], '429', 'sent again'],
    ['event', ['408', '429', '2XX', '5XX', 'default'], 'default', 'permanent'],
    ['toolCall', ['2XX', 'default'], 'default', 'not sent again'],
    ['form', ['2XX', 'default'], 'default', 'not sent again'],
    ['usage', ['200', 'default'], 'default', 'continues'],
  ])('says which answers to the webhook %s are failures, and whether it is sent again', (name, statuses, one, said) => {
    const { responses } = JSON.parse(openApiDocument()).webhooks[name].post;
    expect(Object.keys(responses)).toEqual(statuses);
    expect(responses[one].description).toContain(said);
  });

  test('it has exactly the operations of the contract, each with its own id and its credentials', () => {
    const dashboard = Object.values(DASHBOARD_OPERATIONS).map(({ path }) => DASHBOARD_API_PATH + path);
    const all = [...Object.values(PUBLIC_OPERATIONS).map(({ path }) => path), ...dashboard];
    expect(new Set(Object.keys(paths))).toEqual(new Set(all));
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ operationId, security }) => ({ path, operationId, security })),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const credentials = (path: string) => {
      if (path.startsWith('/api/dashboard/')) return [{ login: [] }];
      return path.endsWith('/session/create') ? [{ server: [] }] : [{ site: [] }, { session: [] }];
    };
    for (const { path, security } of operations) expect([path, security]).toEqual([path, credentials(path)]);
  });

  const FILES = [
    /^\/static\/va-wave-widget(\.(\{hash\}|[0-9a-f]{16}))?\.js$/,
    /^\/static\/va-wave-widget\.d\.ts$/,
    /^\/dashboard\/(config\.json|callback|help\/)?$/,
  ];
  const PREFIXES = ['/api/', '/static/', '/dashboard/'];

  /** A route of this service with any host: the method, if the text has one, and the path. */
  const ROUTE =
    /(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?:\{base_url\}|\$BASE_URL|BASE_URL|http:\/\/(?:localhost|127\.0\.0\.1):8787|(?<![\w./…>}]))(\/(?:api|static|dashboard)\/[^\s"'`)|,;]*)/g;

  function isRoute(method: string | undefined, written: string): boolean {
    const [path = ''] = written
      .replace(/[.:]$/, '')
      .replace(/<(\w+)>/g, '{$1}')
      .split('?');
    if (path.endsWith('*')) {
      const prefix = path.slice(0, -1);
      return PREFIXES.includes(prefix) || Object.keys(paths).some((known) => known.startsWith(prefix));
    }
    if (FILES.some((file) => file.test(path))) return method === undefined || method === 'GET';
    const operations = paths[path];
    return operations !== undefined && (method === undefined || method.toLowerCase() in operations);
  }

  test('every route that a document states exists', () => {
    const unknown = (document: Document) =>
      [...allCode(document), ...[...prose(document).matchAll(/^#+ .*$/gm)].map(([heading]) => heading)].flatMap(
        (text) =>
          [...text.matchAll(ROUTE)]
            .filter(([, method, path = '']) => !isRoute(method, path))
            .map(([route]) => `${document.path}: ${route}`),
      );
    expect(documents.flatMap(unknown)).toEqual([]);
  });
});

describe('docs/widget.md', () => {
  const page = readDocument('docs/widget.md');
  const source = (name: string) => readFileSync(`widget/${name}`, 'utf8');
  const first = (head: string) => tableRows(page, head).map(([cell = '']) => cell);
  const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
  /** The names that a pattern with one group captures in a text. */
  const namesIn = (text: string, pattern: RegExp) => sorted([...text.matchAll(pattern)].map(([, name = '']) => name));
  /** The body of an interface of widget/va-wave.d.ts. */
  const declared = (name: string) =>
    new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source('va-wave.d.ts'))?.[1] ?? '';

  test.each([
    ['command', '| Call | Effect |', /vaWave\('(\w+)'/g, 'VaWaveCommands', /^ {2}(\w+)\(/gm],
    [
      'event',
      '| Event on `document` (bubbles to `window`) | When |',
      /`(va-wave:[\w-]+)`/g,
      'VaWaveEvents',
      /'(va-wave:[\w-]+)'/g,
    ],
    [
      'member of the context',
      '| `context` | Meaning |',
      /`(\w+)(?:\(\))?`/g,
      'VaWaveConversationContext',
      /^ {2}(?:readonly )?(\w+)[(:]/gm,
    ],
  ])('has every %s, and no other', (_, head, written, type, member) => {
    expect(namesIn(first(head).join('\n'), written)).toEqual(namesIn(declared(type), member));
  });

  test('has every attribute of the tag, and no other', () => {
    const attributes = namesIn(source('page.ts'), /(?:attribute|oneOf)\('(\w+)'[,)]/g).map(
      (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    expect(sorted(first('| Attribute | Value |').map((cell) => without(cell, '`')))).toEqual(attributes);
  });

  test('names every language that has texts', () => {
    const names = new Intl.DisplayNames('en', { type: 'language' });
    const [list = ''] = /^The widget has texts in [^.]+/m.exec(page.text) ?? [];
    for (const file of readdirSync('widget/texts')) {
      const [code = ''] = file.split(/[-.]/);
      // The main word of a name: "Norwegian Bokmål" is Norwegian there. `x` is a private code, for tests.
      if (code !== 'x') expect(list).toContain(names.of(code)?.split(' ')[0]);
    }
  });

  test('has every custom property with its default', () => {
    const styles = source('styles.css');
    const stated = tableRows(page, '| Property | Default | Effect |').flatMap(([names = '', value = '']) =>
      [...names.matchAll(/`(--[\w-]+)`/g)].map(([, name = '']) => ({ name, value: without(value, '`') })),
    );
    expect(stated.map(({ name }) => name).sort()).toEqual(namesIn(styles, /var\((--va-wave-[\w-]+)/g));
    const literal = stated.filter(({ name }) => name !== '--va-wave-font');
    expect(literal.filter(({ name, value }) => !styles.includes(`var(${name}, ${value})`))).toEqual([]);
  });
});
