import fc from 'fast-check';
import { anyCharacter } from '../../harness/any-character.ts';
import { FIELD_NAMES } from './described-routes.ts';

/** Text of fast-check, and text as attackers send it. */
export const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '\u0000',
    '\ud800',
    '%n%s%x',
    '<script>',
    "' OR 1=1 --",
    'null',
    'NaN',
    '1e999',
    'a'.repeat(9000),
    '🙂'.repeat(300),
    '[::1]',
    '#',
    'https://a.example:99999',
  ),
);

/** Any JSON value, with property names that the service knows and with other names. */
export const json: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.double(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(again('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...FIELD_NAMES), text), again('value'), { maxKeys: 8 }),
  ),
})).value;

const nested = fc
  .record({ depth: fc.integer({ min: 100, max: 20_000 }), opening: fc.constantFrom('[', '{"a":') })
  .map(({ depth, opening }) => opening.repeat(depth) + 1 + (opening === '[' ? ']' : '}').repeat(depth));

/** The text of a JSON value, or a text that is similar to JSON. */
export const jsonText = fc.oneof(
  { weight: 5, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
  { weight: 2, arbitrary: fc.constantFrom('1e999', `-${'9'.repeat(400)}`, '0.1e-9', 'NaN', '01', "'a'", '/**/1', '') },
  { weight: 1, arbitrary: nested },
);

/** A body that fits no particular route. */
export const anyBody = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...FIELD_NAMES), json, { maxKeys: 8 })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 3, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 20_000 }).map((depth) => '['.repeat(depth)) },
  { weight: 1, arbitrary: nested.map((value) => `{"context":${value}}`) },
);
