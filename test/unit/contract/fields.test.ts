import fc from 'fast-check';
import { actionInput } from '../../../src/contract/actions.ts';
import { assistantChange } from '../../../src/contract/assistants.ts';
import { characters, endpointUrlProblem, exceedsCharacters, truncateCharacters } from '../../../src/contract/fields.ts';
import { URL_ENCODED_MAX_BYTES } from '../../../src/contract/limits.ts';
import { sessionCreateRequest } from '../../../src/contract/sessions.ts';
import { anyCharacter } from '../../harness/any-character.ts';
import { costRatio } from '../../harness/cost-ratio.ts';

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
  const check = (text: string) => () => {
    for (let turn = 0; turn < 1000; turn++) {
      exceedsCharacters(text, 100);
      truncateCharacters(text, 100);
    }
  };
  // Fifty thousand times as long.
  expect(costRatio(check('👩'.repeat(5_000_000)), check('👩'.repeat(101)))).toBeLessThan(10);
});

const ofLength = (characters: number, one: string) => `https://a.example/${one.repeat(characters - 18)}`;

const SCHEME = 'must start with https://';
const INVALID = 'must be a valid URL';
const CREDENTIALS = 'must not contain credentials';
const SIGNS = 'must not contain spaces or backslashes';
const ONCE = 'must have its https:// once';
const invisible = (name: string) => `must not contain the invisible character ${name}`;
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
  ['https://a.example/\nb', invisible('U+000A (line feed)')],
  ['https://a.example\u0000.evil.example/', invisible('U+0000')],
  ['https://a.ex\tample/', invisible('U+0009 (tab)')],
  ['https://a.example/\u200bhook', invisible('U+200B (zero width space)')],
  ['https://a.example/hook\u200b', invisible('U+200B (zero width space)')],
  ['https://a.example/a\u00a0b', invisible('U+00A0 (no-break space)')],
  ['https://a.example/\ufeffhook', invisible('U+FEFF (byte order mark)')],
  ['https://a.exa\u00admple/hook', invisible('U+00AD (soft hyphen)')],
  ['https://a.example/\u0085hook', invisible('U+0085')],
  ['https://a.example/?a=\u2028', invisible('U+2028')],
  ['https://a.example/\u3164', invisible('U+3164')],
  ['https://a.example/\u2800', invisible('U+2800')],
  ['https://a.example/\u{e0041}', invisible('U+E0041')],
  ['https://https://a.example/', ONCE],
  ['https://http://a.example/', ONCE],
  ['https://https//a.example/', ONCE],
  ['https://https.example/', undefined],
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

/** What people paste around and into a text. */
const PASTED = [
  '\u200b',
  '\u00a0',
  '\ufeff',
  '\u00ad',
  '\u0085',
  '\u2060',
  '\u200e',
  '\u2028',
  '\u3000',
  '\u180e',
  '\ufe0f',
];

const ACTION = { name: 'Order', url: 'https://a.example/' };
const keyed = (key: string) => ({ ...ACTION, trigger: 'Form', form_fields: [{ key, label: 'Email', type: 'Email' }] });
const tool = (more: object) => ({ ...ACTION, trigger: 'AI-decided', description: 'Looks an order up', ...more });
const named = (name: string) => ({ ...keyed('email'), name });
const labelled = (label: string) => ({ ...ACTION, trigger: 'Form', form_fields: [{ key: 'a', label, type: 'Text' }] });

/** Makes an input of one text, and where the text is in what is saved. */
const EXACT: readonly (readonly [string, string, (text: string) => object])[] = [
  ['URL', 'https://a.example/hook', (url) => ({ ...keyed('email'), url })],
  ['key of a form field', 'email', keyed],
  ['path of a response', '$.order.status', (path) => tool({ response_field_map: { status: path } })],
  ['mapped name', 'status', (name) => tool({ response_field_map: { [name]: '$.a' } })],
  ['name of a parameter', 'order_id', (name) => tool({ parameters: { properties: { [name]: { type: 'string' } } } })],
];

describe.each(EXACT)('the %s', (_, text, input) => {
  test('is saved without white space around it', () => {
    expect(actionInput.parse(input(` ${text}\n`))).toEqual(actionInput.parse(input(text)));
  });

  test.each(PASTED.map((character) => [(character.codePointAt(0) ?? 0).toString(16), character]))(
    'refuses %s',
    (__, character) => {
      const middle = `${text.slice(0, -2)}${character}${text.slice(-2)}`;
      expect(actionInput.safeParse(input(middle)).success).toBe(false);
    },
  );
});

test('a usage webhook has the same rule for its URL', () => {
  const body = (url: string) => ({ usage_webhook: { url, secret: 's'.repeat(32) } });
  expect(sessionCreateRequest.parse(body(' https://a.example/ '))).toEqual(
    sessionCreateRequest.parse(body('https://a.example/')),
  );
  for (const character of PASTED) {
    expect(sessionCreateRequest.safeParse(body(`https://a.example/${character}a`)).success).toBe(false);
  }
});

test('two names that differ in white space around them are refused, and not one of them lost', () => {
  const maps = [{ response_field_map: { a: '$.a', ' a': '$.b' } }, { parameters: { properties: { a: {}, 'a ': {} } } }];
  for (const map of maps) expect(actionInput.safeParse(tool(map)).success).toBe(false);
});

describe.each([
  ['name', named],
  ['label', labelled],
] as const)('a %s', (_, input) => {
  test.each(['سفارش‌ها', 'क्‍ष', '👩‍💻 Help', 'שלום\u200f!', 'Größe', '❤️'])('may be %s', (text) => {
    expect(actionInput.parse(input(` ${text} `))).toEqual(actionInput.parse(input(text)));
  });

  test.each([
    ['', 'is required'],
    ['\u200b\u200d \ufe0f', 'is required'],
    ['\u3164', 'is required'],
    ['a\u0007b', invisible('U+0007')],
    ['a\nb', invisible('U+000A (line feed)')],
    ['a\u0085b', invisible('U+0085')],
    ['a\u2028b', invisible('U+2028')],
    ['a\u202eb', invisible('U+202E (right-to-left override)')],
    ['\u202ab', invisible('U+202A')],
    ['b\u202c', invisible('U+202C')],
    ['שלום\u2066', invisible('U+2066')],
    ['שלום\u2069', invisible('U+2069')],
  ])('%j has the problem %p', (text, expected) => {
    expect(problem(actionInput.safeParse(input(text)))).toBe(expected);
  });
});

test('a description may have lines, and no other control character', () => {
  const described = (description: string) => actionInput.safeParse(tool({ description }));
  expect(described('  Looks an order up.\r\n\t- by its number \n').data).toMatchObject({
    description: 'Looks an order up.\r\n\t- by its number',
  });
  expect(problem(described('Looks an order up\u0000'))).toBe(invisible('U+0000'));
  expect(problem(described('Looks an order up\u2067'))).toBe(invisible('U+2067'));
  expect(problem(described('\u200b'.repeat(12)))).toBe('is required');
});
