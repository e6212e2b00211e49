import { readFileSync } from 'node:fs';
import { INTERNAL_ERROR, REFUSALS, type RefusalCode } from '../../src/contract/errors.ts';
import { allDocuments, type Document, readDocument, tableRows } from './documents.ts';

const KNOWN = new Set(
  [...Object.values(REFUSALS), INTERNAL_ERROR].map(({ status, message }) => `${status} ${message}`),
);

/** A status followed by a message, in a sentence or in a table row. */
const STATED = /\b([45]\d\d)(?: \| | )`([A-Z][^`]+)`/g;

function wrongMessages({ path, text }: Document): readonly string[] {
  return [...text.matchAll(STATED)]
    .filter(([, status, message]) => !KNOWN.has(`${status} ${message}`))
    .map(([statement]) => `${path}: ${statement}`);
}

test('every message that a document states is one of the contract, with its status', () => {
  // Receivers have their own messages.
  const own = allDocuments().filter(({ path }) => path !== 'docs/getting-started.md');
  expect(own.flatMap(wrongMessages)).toEqual([]);
});

test('finds a wrong message or status', () => {
  const text =
    '401 `Origin not allowed`, 403 `Rate limit exceeded`, 401 `Widget site is disabled`\n| 429 | `Slow down` |';
  expect(wrongMessages({ path: 'x.md', text })).toHaveLength(3);
});

test('docs/authentication.md has every refusal of widget init and session create', () => {
  const page = readDocument('docs/authentication.md');
  const stated = (head: string) => tableRows(page, head).map(([status, message]) => `${status} ${message}`);
  const expected = (...codes: readonly RefusalCode[]) =>
    codes.map((code) => `${REFUSALS[code].status} \`${REFUSALS[code].message}\``);
  expect(stated('| Status | Message | What to do |')).toEqual(
    expect.arrayContaining(
      expected(
        'origin_not_allowed',
        'no_allowed_domains',
        'origin_required',
        'session_token_required',
        'site_disabled',
        'ip_not_allowed',
        'rate_limit_exceeded',
        'session_token_invalid',
        'site_not_found',
        'credentials_required',
      ),
    ),
  );
  expect(stated('| Status | Message | When |')).toEqual(
    expect.arrayContaining(
      expected('server_key_required', 'server_key_malformed', 'server_key_invalid', 'rate_limit_exceeded'),
    ),
  );
});

test('docs/api.md has every code with its status and message', () => {
  const rows = tableRows(readDocument('docs/api.md'), '| Code | Status | Message |');
  const codes = Object.entries(REFUSALS).map(([code, { status, message }]) => [
    `\`${code}\``,
    `${status}`,
    `\`${message}\``,
  ]);
  const { code, status, message } = INTERNAL_ERROR;
  expect(rows).toEqual([...codes, [`\`${code}\``, `${status}`, `\`${message}\``]]);
});

test('docs/assistant-runtime.md has the messages that the assistant receives', () => {
  const rows = tableRows(readDocument('docs/assistant-runtime.md'), '| `outcome` | `message` | `response` |');
  const source = readFileSync('src/domain/actions/call-tool.ts', 'utf8');
  const outcomes = [...source.matchAll(/outcome: '(\w+)'/g)].map(([, outcome]) => `\`${outcome}\``);
  expect(new Set(rows.map(([outcome]) => outcome))).toEqual(new Set(outcomes));
  const messages = rows.map(([, message = '']) => /`([^`]+)`/.exec(message)?.[1] ?? '');
  expect(messages.filter((message) => message === '' || !source.includes(message))).toEqual([]);
});
