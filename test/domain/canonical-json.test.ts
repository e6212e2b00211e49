import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { canonicalJson } from '../../src/domain/canonical-json.ts';

const hasPython = (() => {
  try {
    return execFileSync('python3', ['--version']).length > 0;
  } catch {
    console.log('The Python check is skipped: there is no python3 on the PATH');
    return false;
  }
})();

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

(hasPython ? test : test.skip)('Python writes the same', () => {
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
