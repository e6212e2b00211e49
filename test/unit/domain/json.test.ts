import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { exceedsLevels, jsonObject } from '../../../src/contract/fields.ts';
import { canonicalJson } from '../../../src/domain/canonical-json.ts';
import { parseJson } from '../../../src/domain/parse-json.ts';
import { anyCharacter } from '../../harness/any-character.ts';
import { missingProgram, testWhere } from '../../harness/programs.ts';

/** Numbers as people and programs write them, of which JavaScript would write many otherwise. */
const NUMBERS = [
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740993.5'],
  ...['2512292042121000001', '12345678901234567890', '9'.repeat(5000), '123456789012345.67', '0.1234567890123456789'],
  ...['0.100000000000000000000000000001', '1e400', '-1E+400', '1e-400', '1.5e400', '4e5', '1E+2', '1e999999999'],
  ...[
    '-0',
    '-0.0',
    '1.0',
    '10.50',
    '0.0000001',
    '0.000001',
    '1e21',
    '0',
    '-1',
    '0.5',
    '123456789012345',
    '1234567890123456',
  ],
];

test.each(NUMBERS)('the number %.40s keeps its text', (number) => {
  for (const text of [number, `[${number}]`, `{"a":${number}}`, `{"a":[1,${number}],"b":{"c":${number}}}`]) {
    expect(JSON.stringify(parseJson(text))).toBe(text);
  }
  const spaced = `{ "a" :\n\t${number} , "b": [ ${number} ] }`;
  expect(JSON.stringify(parseJson(spaced))).toBe(`{"a":${number},"b":[${number}]}`);
});

test('any other value is parsed as by JSON.parse, also next to such a number', () => {
  const ordinary = [0, 1, -1, 0.5, -0.25, 123456789012345, 'text', '1e400', ': 12345678901234567890', '-0', true, null];
  const text = JSON.stringify({ ordinary, nested: { ordinary }, __proto: {}, '': [] });
  expect(parseJson(text)).toEqual(JSON.parse(text));
  const mixed = parseJson(`{"n":1e400,"rest":${text}}`);
  expect(mixed).toMatchObject({ rest: JSON.parse(text) });
});

test('of members with one name, the last one counts, as with JSON.parse', () => {
  expect(JSON.stringify(parseJson('{"a":1e400,"b":1,"a":2.0,"__proto__":1,"__proto__":{"c":3}}'))).toBe(
    '{"a":2.0,"b":1,"__proto__":{"c":3}}',
  );
});

test('every JSON text comes out as it went in, up to white space', () => {
  const number = fc.oneof(
    fc.bigInt().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc
      .tuple(fc.integer(), fc.stringMatching(/^\d{1,20}$/), fc.integer({ min: -999, max: 999 }))
      .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
    fc.tuple(fc.integer(), fc.stringMatching(/^\d{1,20}$/)).map((parts) => parts.join('.')),
    fc.constantFrom(...NUMBERS),
  );
  const literal = fc.constantFrom('true', 'false', 'null');
  const string = fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text));
  const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, number, string, literal, tie('list'), tie('object')),
    list: fc.array(tie('value')).map((parts) => `[${parts.join(',')}]`),
    object: fc
      // Names that are whole numbers change their order in an object.
      .dictionary(
        fc.string({ unit: anyCharacter }).map((name) => `x${name}`),
        tie('value'),
      )
      .map((members) => `{${Object.entries(members).map(([name, part]) => `${JSON.stringify(name)}:${part}`)}}`),
  }));
  fc.assert(fc.property(value, (text) => expect(JSON.stringify(parseJson(text))).toBe(text)));
});

test('a text that is nested in many thousand levels is parsed, with any number in it', () => {
  for (const number of ['1', '1e400']) {
    const deep = parseJson(`${'['.repeat(100_000)}${number}${']'.repeat(100_000)}`);
    expect(exceedsLevels(deep, 500)).toBe(true);
  }
});

test.each<[string, number]>([
  ['1', 0],
  ['null', 0],
  ['1e400', 0],
  ['{}', 1],
  ['[]', 1],
  ['{"a":1e400,"b":"[[["}', 1],
  ['{"a":[],"__proto__":{"b":[{}]}}', 4],
])('%s has %p levels', (text, levels) => {
  const value = parseJson(text);
  expect(exceedsLevels(value, levels)).toBe(false);
  if (levels > 0) expect(exceedsLevels(value, levels - 1)).toBe(true);
});

test.each(['', '{', '01', '1e', '{"a":12345678901234567890', '[1e400,]'])('%p is not JSON', (text) => {
  expect(parseJson(text)).toBeUndefined();
});

describe('a JSON object', () => {
  test('is passed on with all its keys', () => {
    const text = '{"__proto__":{"a":1},"constructor":{"name":"Set"},"toString":1,"hasOwnProperty":null}';
    const parsed = jsonObject.parse(JSON.parse(text));
    expect(JSON.stringify(parsed)).toBe(text);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  test.each([[[]], [null], ['{}'], [1], [undefined]])('is not %p', (value) => {
    expect(jsonObject.safeParse(value).error?.issues[0]?.message).toBe('must be an object');
  });
});

describe('a name with an escape is read', () => {
  test.each([
    [1, '\\', '\n'],
    [2, 'x\\', 'x"'],
    [3, '\\u0', 'été'],
  ])('although an object with a similar name was read before (%i)', (number, before, name) => {
    // No other test reads an object with this first name.
    const first = `first ${number}`;
    JSON.parse(JSON.stringify({ [first]: 1, [before]: 2 }));
    const ascii = JSON.stringify(name).replaceAll('é', '\\u00e9');
    const text = `{"${first}" : 1,\n${ascii} : [{}, {"a":[true,null,-1.5,"\\""]}]}`;
    expect(parseJson(text)).toEqual({ [first]: 1, [name]: [{}, { a: [true, null, -1.5, '"'] }] });
  });

  test('in every JSON text', () => {
    const value = fc.anything({ key: fc.string({ unit: anyCharacter }), withObjectString: true });
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '\n\t'), (any, space) => {
        const text = JSON.stringify({ '\n': any, ['__proto__']: any }, undefined, space);
        const copy = JSON.stringify(parseJson(text), undefined, space);
        expect(copy).toBe(text);
      }),
    );
  });
});

/** A Python program that reads JSON texts, one per line, and writes each in canonical form. */
const PYTHON = `
import json, sys
for line in sys.stdin.buffer:
    print(json.dumps(json.loads(line), sort_keys=True, separators=(',', ':')))
`;

test.each<[unknown, string]>([
  [{ b: 1, a: { d: null, c: [true, 'x'] } }, '{"a":{"c":[true,"x"],"d":null},"b":1}'],
  [{ 10: 'a', 9: 'b', Z: 1, a: 2 }, '{"10":"a","9":"b","Z":1,"a":2}'],
  [{ left: undefined }, '{}'],
  ['é 👩 \u007f "\\/\n', '"\\u00e9 \\ud83d\\udc69 \\u007f \\"\\\\/\\n"'],
  [{ '\u{1f600}': 1, '\ufffd': 2 }, '{"\\ufffd":2,"\\ud83d\\ude00":1}'],
])('%p is written as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('the written text is the same value, in ASCII', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});

testWhere(missingProgram('python3'), 'what Python writes')('Python writes the same', () => {
  const character = fc.integer({ min: 0, max: 0x10ffff }).filter((code) => code < 0xd800 || code > 0xdfff);
  const text = fc.oneof(
    fc.array(character, { maxLength: 6 }).map((codes) => String.fromCodePoint(...codes)),
    fc.constantFrom('\u007f', '\u0080', '\u2028', '\ufffd', '\u{1f600}', '"', '\\', '/'),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('any'), { maxKeys: 5 }),
  })).any;
  const values = fc.sample(value, { numRuns: 500, seed: 7 });
  const input = values.map((one) => JSON.stringify(one)).join('\n');
  const written = execFileSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' }).trimEnd().split('\n');
  expect(values.map((one) => canonicalJson(one))).toEqual(written);
});
