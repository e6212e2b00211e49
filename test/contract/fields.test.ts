import fc from 'fast-check';
import { actionInput } from '../../src/contract/actions.ts';
import { assistantChange } from '../../src/contract/assistants.ts';
import { characters, endpointUrlProblem, exceedsCharacters, truncateCharacters } from '../../src/contract/fields.ts';
import { URL_ENCODED_MAX_BYTES } from '../../src/contract/limits.ts';
import { sessionCreateRequest } from '../../src/contract/sessions.ts';
import { anyCharacter } from '../harness/any-character.ts';

const problem = (result: {
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
}) => result.error?.issues[0]?.message;

test.each([
  ['012345678', 'must be at least 10 characters'],
  ['👩'.repeat(9), 'must be at least 10 characters'],
  ['012345678 ', undefined],
  [' '.repeat(10), 'is required'],
  ['', 'is required'],
  ['👩'.repeat(20), undefined],
  ['👩'.repeat(21), 'must be at most 20 characters'],
])('counts %j as typed', (text, expected) => {
  expect(problem(characters({ min: 10, max: 20 }).safeParse(text))).toBe(expected);
});

test('every stored text refuses an unpaired surrogate', () => {
  const half = 'a\ud83d';
  const tool = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up', url: 'https://a.example/' };
  const property = (more: object) => ({ ...tool, parameters: { properties: { a: { type: 'string', ...more } } } });
  const mapped = { ...tool, response_field_map: { a: `$.${half}` } };
  const refused = [
    characters({ max: 9 }).safeParse(half),
    sessionCreateRequest.safeParse({ user_id: half }),
    ...[{ ...tool, name: half }, property({ description: half }), property({ pattern: half }), mapped].map((input) =>
      actionInput.safeParse(input),
    ),
    assistantChange.safeParse({ form_order: [half] }),
  ];
  expect(refused.map(problem)).toEqual(refused.map(() => 'must be well-formed Unicode'));
});

test('truncation returns the longest prefix within the limit, counted in code points', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.nat(40), (whole, limit) => {
      const cut = truncateCharacters(whole, limit);
      expect(cut).toBe([...whole].slice(0, limit).join(''));
      expect(exceedsCharacters(whole, limit)).toBe([...whole].length > limit);
      expect(exceedsCharacters(cut, limit)).toBe(false);
    }),
  );
});

test('checking a huge text costs no more than its limit', () => {
  const huge = '👩'.repeat(5_000_000);
  const started = performance.now();
  for (let i = 0; i < 1000; i++) {
    exceedsCharacters(huge, 100);
    truncateCharacters(huge, 100);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});

const ofLength = (characters: number, one: string) => `https://a.example/${one.repeat(characters - 18)}`;

const SCHEME = 'must start with https://';
const INVALID = 'must be a valid URL';
const CREDENTIALS = 'must not contain credentials';
const SIGNS = 'must not contain spaces, control characters or backslashes';
const UNICODE = 'must be well-formed Unicode';

test.each<[string, string | undefined]>([
  ['HTTPS://A.example', undefined],
  ['https://a.example:8443/path?query=1#fragment', undefined],
  ['https://münchen.example/straße', undefined],
  ['https://[2001:db8::1]:8443/', undefined],
  [ofLength(2000, '😀'), undefined],
  ['', SCHEME],
  ['http://a.example/', SCHEME],
  ['a.example', SCHEME],
  [' https://a.example/', SCHEME],
  ['https:a.example', SCHEME],
  ['https:/a.example', SCHEME],
  ['ftp://a.example/', SCHEME],
  ['javascript:alert(1)', SCHEME],
  ['https://', INVALID],
  ['https:///', INVALID],
  ['https://a.example:65536/', INVALID],
  ['https://a.example:-1/', INVALID],
  ['https://256.0.0.1/', INVALID],
  ['https://1.2.3.4.5/', INVALID],
  ['https://[::1/', INVALID],
  ['https://[fe80::1%25eth0]/', INVALID],
  ['https://user@a.example/', CREDENTIALS],
  ['https://:pass@a.example/', CREDENTIALS],
  ['https://a.example:0/', 'must not use port 0'],
  ['https://a.example/ b', SIGNS],
  ['https://a.example/\n', SIGNS],
  ['https://a.example\u0000.evil.example/', SIGNS],
  ['https://a.ex\tample/', SIGNS],
  ['https://a.example\\@evil.example/', SIGNS],
  [ofLength(2001, 'x'), 'must be at most 2000 characters'],
  [ofLength(2001, '😀'), 'must be at most 2000 characters'],
  ['https://a.example/\ud83d', UNICODE],
  ['https://a.example/\ude00?', UNICODE],
])('the URL %p has the problem %p', (url, problem) => {
  expect(endpointUrlProblem(url)).toBe(problem);
});

test('a byte limit counts the URL as it is sent, and a typed URL of 2000 characters is always within that limit', () => {
  expect(endpointUrlProblem(ofLength(348, 'ü'), 2000)).toBeUndefined();
  expect(endpointUrlProblem(ofLength(349, 'ü'), 2000)).toBe('must be at most 2000 bytes once encoded');
  const longest = `https://a/?${'😀'.repeat(2000 - 11)}`;
  expect(new URL(longest).href.length).toBeLessThanOrEqual(URL_ENCODED_MAX_BYTES);
});
