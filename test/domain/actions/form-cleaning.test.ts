import fc from 'fast-check';
import { cleanFormValues, missingRequiredField } from '../../../src/domain/actions/form-cleaning.ts';
import { aFormAction } from '../../fakes/configuration.ts';
import { anyCharacter } from '../../harness/any-character.ts';

const EMOJI = '👩';

describe('cleaning keeps', () => {
  test.each<[string, unknown]>([
    ['text', 'hello'],
    ['empty text', ''],
    ['text of 5000 characters', 'x'.repeat(5000)],
    ['text of 5000 code points', EMOJI.repeat(5000)],
    ['a number', 1.5],
    ['zero', 0],
    ['true', true],
    ['false', false],
    ['an empty list', []],
    ['a list of 50', Array.from({ length: 50 }, (_, i) => `item ${i}`)],
  ])('%s unchanged', (_, value) => {
    expect(cleanFormValues({ field: value })).toEqual({ field: value });
  });

  test.each([
    ['100 characters', 'k'.repeat(100)],
    ['100 code points', EMOJI.repeat(100)],
    ['no characters', ''],
  ])('a key of %s', (_, key) => {
    expect(cleanFormValues({ [key]: 1 })).toEqual({ [key]: 1 });
  });

  test('a key called __proto__ as data', () => {
    const values: Record<string, unknown> = JSON.parse('{"__proto__": "text", "constructor": 1}');
    const clean = cleanFormValues(values);
    expect(Object.keys(clean).sort()).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
    expect(JSON.stringify(clean)).toBe('{"__proto__":"text","constructor":1}');
  });
});

describe('cleaning drops', () => {
  test.each<[string, unknown]>([
    ['text of 5001 characters', 'x'.repeat(5001)],
    ['text of 5001 code points', EMOJI.repeat(5001)],
    ['a list of 51', Array.from({ length: 51 }, () => '')],
    ['null', null],
    ['undefined', undefined],
    ['an object', { a: 1 }],
    ['an empty object', {}],
    ['a number too large for JSON', JSON.parse('1e999')],
  ])('%s, and keeps other values', (_, value) => {
    expect(cleanFormValues({ before: 1, field: value, after: 2 })).toEqual({ before: 1, after: 2 });
  });

  test.each([
    ['101 characters', 'k'.repeat(101)],
    ['101 code points', EMOJI.repeat(101)],
  ])('a key of %s', (_, key) => {
    expect(cleanFormValues({ [key]: 1 })).toEqual({});
  });
});

describe('items of a list', () => {
  test('become strings', () => {
    const list = ['a', 1, true, null, { b: [2] }, ['c']];
    expect(cleanFormValues({ list })).toEqual({ list: ['a', '1', 'true', 'null', '{"b":[2]}', '["c"]'] });
  });

  test('are cut at 500 characters, between code points', () => {
    const list = ['x'.repeat(500), 'x'.repeat(501), EMOJI.repeat(501), { a: 'y'.repeat(600) }];
    expect(cleanFormValues({ list })).toEqual({
      list: ['x'.repeat(500), 'x'.repeat(500), EMOJI.repeat(500), `{"a":"${'y'.repeat(494)}`],
    });
  });

  test('that are nested too deeply for JSON.stringify drop only their list', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(cleanFormValues({ list: ['a', deep], note: 'b' })).toEqual({ note: 'b' });
  });
});

test('cleaned values obey every limit, and cleaning them again changes nothing', () => {
  const item = fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme', maxLength: 600 }));
  // A few graphemes again and again: thousands of drawn ones are most of what the test would take.
  const long = fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.integer({ min: 4990, max: 5010 }))
    .map(([text, length]) => [...text.repeat(length)].slice(0, length).join(''));
  const value = fc.oneof(
    fc.jsonValue(),
    long,
    fc.array(item, { maxLength: 52 }),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, null, undefined),
  );
  const key = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter, minLength: 98, maxLength: 102 }),
    fc.constant('__proto__'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value), { maxLength: 8 }), (entries) => {
      const values: Record<string, unknown> = Object.fromEntries(entries);
      const clean = cleanFormValues(values);
      for (const [name, kept] of Object.entries(clean)) {
        expect([...name].length).toBeLessThanOrEqual(100);
        expect(Object.hasOwn(values, name)).toBe(true);
        if (typeof kept === 'string') expect([...kept].length).toBeLessThanOrEqual(5000);
        if (Array.isArray(kept)) {
          expect(kept.length).toBeLessThanOrEqual(50);
          expect(kept.every((one) => typeof one === 'string' && [...one].length <= 500)).toBe(true);
        }
        expect(['string', 'number', 'boolean', 'object']).toContain(typeof kept);
      }
      expect(cleanFormValues(clean)).toEqual(clean);
      expect(JSON.parse(JSON.stringify(clean))).toEqual({ ...clean, ...negativeZeroes(clean) });
    }),
    { numRuns: 100 },
  );
});

/** JSON.stringify writes negative zero as 0. */
function negativeZeroes(values: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === 0 ? [[name, 0]] : [])));
}

describe('a required field', () => {
  const fields = aFormAction().form_fields;

  test.each<[string, Record<string, unknown>]>([
    ['absent', { note: 'x' }],
    ['null', { email: null }],
    ['empty', { email: '' }],
    ['blank', { email: ' \t\n' }],
    ['an empty list', { email: [] }],
  ])('that is %s is missing', (_, values) => {
    expect(missingRequiredField(fields, values)?.key).toBe('email');
  });

  test.each<[string, Record<string, unknown>]>([
    ['text', { email: 'a@b.example' }],
    ['zero', { email: 0 }],
    ['false', { email: false }],
    ['a list', { email: [''] }],
    ['text that cleaning drops', { email: 'x'.repeat(5001) }],
  ])('that is %s is present', (_, values) => {
    expect(missingRequiredField(fields, values)).toBeUndefined();
  });

  test('is not found on the prototype', () => {
    const named = [{ key: 'constructor', label: 'C', type: 'Text' as const, required: true }];
    expect(missingRequiredField(named, {})?.key).toBe('constructor');
  });
});
