import { readFileSync } from 'node:fs';
import { MESSAGES } from '../../src/contract/messages.ts';
import { allDocuments, type Document, readDocument, tableRows } from './documents.ts';

/** The status with which each message is answered. */
const STATUS: Readonly<Record<keyof typeof MESSAGES, number>> = {
  originNotAllowed: 401,
  noAllowedDomains: 401,
  originRequired: 401,
  sessionTokenRequired: 401,
  siteDisabled: 401,
  ipNotAllowed: 403,
  rateLimitExceeded: 429,
  serverKeyRequired: 401,
  serverKeyFormat: 401,
  serverKeyInvalid: 401,
  sessionTokenInvalid: 401,
  siteNotFound: 401,
  credentialsRequired: 401,
  siteMismatch: 403,
  bodyNotJson: 400,
  bodyNotObject: 400,
  bodyTooLarge: 413,
  formNotFound: 404,
  conversationUnknown: 400,
  submissionInProgress: 409,
  submissionFailed: 502,
  loginRequired: 401,
  notFound: 404,
  internal: 500,
};

const KNOWN = new Set(
  Object.entries(STATUS).map(
    ([name, status]) => `${status} ${Object.entries(MESSAGES).find(([key]) => key === name)?.[1]}`,
  ),
);

/** A status with a message behind it, in a sentence or in a row. */
const STATED = /\b([45]\d\d)(?: \| | )`([A-Z][^`]+)`/g;

function wrongMessages({ path, text }: Document): readonly string[] {
  return [...text.matchAll(STATED)]
    .filter(([, status, message]) => !KNOWN.has(`${status} ${message}`))
    .map(([statement]) => `${path}: ${statement}`);
}

test('every message that a document states is one of the contract, with its status', () => {
  // Receivers answer in their own words.
  const own = allDocuments().filter(({ path }) => path !== 'docs/getting-started.md');
  expect(own.flatMap(wrongMessages)).toEqual([]);
});

test('a wrong message or status is seen', () => {
  const text =
    '401 `Origin not allowed`, 403 `Rate limit exceeded`, 401 `Widget site is disabled`\n| 429 | `Slow down` |';
  expect(wrongMessages({ path: 'x.md', text })).toHaveLength(3);
});

test('docs/authentication.md has every refusal of widget init and session create', () => {
  const page = readDocument('docs/authentication.md');
  const stated = (head: string) => tableRows(page, head).map(([status, message]) => `${status} ${message}`);
  const expected = (...names: readonly (keyof typeof MESSAGES)[]) =>
    names.map((name) => `${STATUS[name]} \`${MESSAGES[name]}\``);
  expect(stated('| Status | Message | What to do |')).toEqual(
    expect.arrayContaining(
      expected(
        'originNotAllowed',
        'noAllowedDomains',
        'originRequired',
        'sessionTokenRequired',
        'siteDisabled',
        'ipNotAllowed',
        'rateLimitExceeded',
        'sessionTokenInvalid',
        'siteNotFound',
        'credentialsRequired',
      ),
    ),
  );
  expect(stated('| Status | Message | When |')).toEqual(
    expect.arrayContaining(expected('serverKeyRequired', 'serverKeyFormat', 'serverKeyInvalid', 'rateLimitExceeded')),
  );
});

test('docs/assistant-runtime.md has the words that the assistant is told', () => {
  const rows = tableRows(readDocument('docs/assistant-runtime.md'), '| `outcome` | `message` | `response` |');
  const source = readFileSync('src/domain/actions/call-tool.ts', 'utf8');
  const outcomes = [...source.matchAll(/outcome: '(\w+)'/g)].map(([, outcome]) => `\`${outcome}\``);
  expect(new Set(rows.map(([outcome]) => outcome))).toEqual(new Set(outcomes));
  const messages = rows.map(([, message = '']) => /`([^`]+)`/.exec(message)?.[1] ?? '');
  expect(messages.filter((message) => message === '' || !source.includes(message))).toEqual([]);
});
