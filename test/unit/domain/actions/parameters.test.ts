import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type ParametersSchema, parametersSchema } from '../../../../src/contract/actions.ts';
import { isJsonObject } from '../../../../src/contract/fields.ts';
import {
  checkArguments,
  isEmail,
  parametersForModel,
  parametersProblem,
} from '../../../../src/domain/actions/parameters.ts';
import { costRatio } from '../../../harness/cost-ratio.ts';

const of = (a: object) => ({ properties: { a } });

describe('arguments', () => {
  const PARAMETERS = parametersSchema.parse({
    properties: {
      order: { type: 'string', pattern: '^[A-Z]{2}\\d+$' },
      email: { type: 'string', format: 'email' },
      count: { type: 'integer' },
      price: { type: 'number' },
      gift: { type: 'boolean' },
      size: { type: 'string', enum: ['small', 'large'] },
    },
    required: ['order'],
  });

  test('that match their parameters are valid, and others are dropped', () => {
    const values = { order: 'AB12', email: 'ada@example.com', count: -3, price: 1.5, gift: false, size: 'small' };
    const more = JSON.parse('{"more":1,"__proto__":{"gift":true}}');
    expect(checkArguments(PARAMETERS, { ...values, ...more })).toEqual({ valid: true, values });
    expect(checkArguments(PARAMETERS, { order: 'AB12', ...more })).toEqual({ valid: true, values: { order: 'AB12' } });
    expect(checkArguments(undefined, more)).toEqual({ valid: true, values: {} });
  });

  test.each<[string, Record<string, unknown>]>([
    ['order: is required', {}],
    ['order: is required', { order: undefined }],
    ['order: must be a string', { order: null }],
    ['order: must be well-formed Unicode', { order: 'A\ud800' }],
    ['order: must match the pattern', { order: 'ab12' }],
    ['email: must be an email address', { order: 'AB12', email: 'ada' }],
    ['count: must be an integer', { order: 'AB12', count: 1.5 }],
    ['count: must be an integer', { order: 'AB12', count: '1' }],
    ['price: must be a number', { order: 'AB12', price: '1.5' }],
    ['price: must be a number', { order: 'AB12', price: Number.POSITIVE_INFINITY }],
    ['gift: must be true or false', { order: 'AB12', gift: 'true' }],
    ['size: must be one of ["small","large"]', { order: 'AB12', size: 'Small' }],
    ['size: must be a string', { order: 'AB12', size: 1 }],
  ])('are refused with "%s": %p', (problem, values) => {
    expect(checkArguments(PARAMETERS, values)).toEqual({ valid: false, problem });
  });

  test('that are too long for their patterns are refused before they are matched, also when they are many', () => {
    const property = { type: 'string', pattern: '^(?i)(\\pL\\pN?){1,90}\\.' };
    const parameters = parametersSchema.parse({ properties: { a: property, b: property } });
    const check = (a: number, b: number) => {
      const values = { a: `é.${'é'.repeat(a)}`, b: `é.${'é'.repeat(b)}` };
      return () => checkArguments(parameters, values);
    };
    const refusalOf = (name: string) => ({
      valid: false,
      problem: `${name}: is too long for the patterns of this Action`,
    });
    expect(check(400, 400)()).toMatchObject({ valid: true });
    expect(check(250_000, 1)()).toEqual(refusalOf('a'));
    expect(check(600, 600)()).toEqual(refusalOf('b'));
    expect(costRatio(check(250_000, 1), check(400, 400))).toBeLessThan(1);
    expect(costRatio(check(600, 600), check(400, 400))).toBeLessThan(5);
  });

  test('are matched in linear time, also with a pattern that takes a backtracking engine exponential time', () => {
    const parameters = parametersSchema.parse(of({ type: 'string', pattern: '^(a+)+$' }));
    const check = (length: number) => () => checkArguments(parameters, { a: `${'a'.repeat(length)}!` });
    expect(check(50_000)()).toEqual({ valid: false, problem: 'a: must match the pattern' });
    // A time that grows with the square is a hundred times as long.
    expect(costRatio(check(50_000), check(5000))).toBeLessThan(40);
  });
});

describe('parameters', () => {
  const said = (wrong: ReturnType<typeof parametersProblem>) => wrong && `${wrong.field}: ${wrong.problem}`;
  const PATTERN = 'properties.a.pattern';
  const UNSUPPORTED = `${PATTERN}: is not supported (RE2 syntax: no look-around, no back-references)`;
  const COMPLEX = `${PATTERN}: is too complex (1002 instructions; the limit is 600)`;

  test.each<[string | undefined, unknown]>([
    [undefined, {}],
    [undefined, { ...of({ type: 'string', pattern: '^[a-z]{1,255}$', format: 'email' }), required: ['a'] }],
    [undefined, of({ type: 'string', enum: ['small', 'large'], description: 'Size' })],
    ['required: b is not among the properties', { ...of({ type: 'string' }), required: ['b'] }],
    ['required: constructor is not among the properties', { required: ['constructor'] }],
    ['properties.a: only a string can have pattern or format', of({ type: 'number', pattern: 'x' })],
    ['properties.a: only a string can have pattern or format', of({ type: 'boolean', format: 'email' })],
    [UNSUPPORTED, of({ type: 'string', pattern: '(?=x)' })],
    [COMPLEX, of({ type: 'string', pattern: 'a{1000}' })],
    ['properties.a.enum: must not name a value twice', of({ type: 'string', enum: ['x', 'y', 'x'] })],
    ['properties.a.enum: must not name a value twice', of({ type: 'number', enum: [1, JSON.rawJSON('1.0')] })],
    ['properties.a.enum: must not name a value twice', of({ type: 'integer', enum: [JSON.rawJSON('1e2'), 100] })],
    ['properties.a.enum: "2" is not of type integer', of({ type: 'integer', enum: [1, '2'] })],
  ])('have the problem %p: %j', (problem, parameters) => {
    expect(said(parametersProblem(parametersSchema.parse(parameters)))).toBe(problem);
  });

  test('have a limit for the instructions of all patterns together', () => {
    const withPattern = (pattern: string) => {
      const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
      const properties = names.map((name) => [name, { type: 'string', pattern: `${name}${pattern}` }]);
      return said(parametersProblem(parametersSchema.parse({ properties: Object.fromEntries(properties) })));
    };
    expect(withPattern('a{300}')).toBe('properties.p16.pattern: the patterns together are too complex');
    expect(withPattern('a{90}')).toBeUndefined();
  });

  const many = (count: number, property: object) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, property])),
  });

  test.each([
    ['properties', many(51, { type: 'string' })],
    ['', many(20, { type: 'string', description: 'é'.repeat(500) })],
    ['required', { required: Array.from({ length: 51 }, (_, i) => `a${i}`) }],
    ['required', { ...of({ type: 'string' }), required: ['a', ' a'] }],
    [PATTERN, of({ type: 'string', pattern: 'x'.repeat(201) })],
    ['properties.a.enum', of({ type: 'string', enum: [] })],
    // Names that model APIs refuse.
    ...['Account Number', 'größe', '', 'a'.repeat(65), 'a/b'].map((name): [string, object] => [
      `properties.${name}`,
      { properties: { [name]: { type: 'string' } } },
    ]),
    ...['title', 'minLength', 'additionalProperties', '$ref'].map((keyword): [string, object] => [
      'properties.a',
      of({ type: 'string', [keyword]: 'x' }),
    ]),
  ])('are refused with the field "%s" (%#)', (field, parameters) => {
    const { error } = parametersSchema.safeParse(parameters);
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});

// The official cases of the keywords that parameters may have. A tool's arguments are always an object, and every parameter has a type,
// so cases in which a keyword ignores values of another type do not apply.
describe('the test suite of JSON Schema', () => {
  type Case = { readonly description: string; readonly data: unknown; readonly valid: boolean };
  type Group = {
    readonly description: string;
    readonly schema: Record<string, unknown>;
    readonly tests: readonly Case[];
  };
  type Row = [name: string, data: unknown, valid: boolean, parameters: ParametersSchema];

  const rows = (
    keyword: string,
    applies: (data: unknown) => boolean,
    parametersOf: (schema: Record<string, unknown>) => unknown,
  ): Row[] => {
    const groups: readonly Group[] = JSON.parse(
      readFileSync(`test/vectors/json-schema-test-suite/${keyword}.json`, 'utf8'),
    );
    const found = groups.flatMap(({ description, schema, tests }) =>
      tests
        .filter(({ data }) => applies(data))
        .map((one): Row => {
          const parameters = parametersSchema.parse(parametersOf(schema));
          return [`${description}: ${one.description}`, one.data, one.valid, parameters];
        }),
    );
    expect(found.length).toBeGreaterThan(1);
    return found;
  };
  const isText = (data: unknown) => typeof data === 'string';
  const numbers = (properties: unknown) =>
    Object.fromEntries(
      Object.entries(Object(properties)).map(([name, one]) => [name, { type: 'number', ...Object(one) }]),
    );

  test.each([
    ...rows(
      'type',
      () => true,
      ({ type }) => of({ type }),
    ),
    ...rows('pattern', isText, ({ pattern }) => of({ type: 'string', pattern })),
    ...rows('email', isText, ({ format }) => of({ type: 'string', format })),
  ])('one argument: %s', (_, data, valid, parameters) => {
    expect(checkArguments(parameters, { a: data }).valid).toBe(valid);
  });

  test.each([
    ...rows('required', isJsonObject, ({ properties, required = [] }) => ({
      properties: numbers(properties),
      required,
    })),
    ...rows('properties', isJsonObject, ({ properties }) => ({ properties })),
  ])('an object of arguments: %s', (_, data, valid, parameters) => {
    expect(checkArguments(parameters, Object(data)).valid).toBe(valid);
  });
});

const label = 'a'.repeat(63);

// Edges that the suite does not have.
test.each([
  ['a&b@example.com', true],
  [`${'a'.repeat(64)}@example.com`, true],
  [`${'a'.repeat(65)}@example.com`, false],
  [`"${'a'.repeat(62)}"@example.com`, true],
  [`"${'a'.repeat(63)}"@example.com`, false],
  [`a@${label}.example`, true],
  [`a@${label}a.example`, false],
  [`a@${`${label}.`.repeat(3)}${'a'.repeat(60)}`, true],
  [`a@${`${label}.`.repeat(3)}${'a'.repeat(61)}`, false],
  ['a@localhost', true],
  ['a@-example.com', false],
  ['a@example-.com', false],
  ['a@example.com.', false],
  ['a@[0x7f.0.0.1]', false],
  ['a@[IPv6:fe80::1%eth0]', false],
  ['a@[ipv6:::ffff:192.0.2.1]', true],
  ['a@[]', false],
  ['a@[tag:x]', false],
  ['"a\\"b"@example.com', true],
  ['"a"b"@example.com', false],
  ['"a\nb"@example.com', false],
  ['zoë@example.com', false],
  ['a@exämple.com', false],
  ['a@b@example.com', false],
  ['a@example.com\n', false],
])('%j is an email address: %p', (text, valid) => {
  expect(isEmail(text)).toBe(valid);
});

describe('parameters as a model receives them', () => {
  const listed = (pattern: string, more: object = {}) =>
    parametersForModel(parametersSchema.parse({ properties: { a: { type: 'string', pattern, ...more } } })).properties
      .a;

  test.each([
    ...[
      '^\\d{5}$',
      '^[A-Z]{2}-?\\d{4}$',
      '^(?:a|b)+?$',
      '[\\w.-]+@[^@\\s]+',
      '\\+?[0-9 ()/-]{7,15}',
      '^\\$\\.\\*$',
      '[a\\-z]',
      '[^\\]]',
    ],
    ...['é|😀', '\\x41', '\\t', 'a{2,}', '(a)(b)', '[-a]', '[a-]', '^$', '', '-', 'a/b', '\\/'],
  ])('with a pattern that all engines read alike: %s', (pattern) => {
    expect(listed(pattern)).toEqual({ type: 'string', pattern });
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
  });

  test.each([
    ...[
      '\\p{L}',
      '\\pN',
      'a\\z',
      '\\Aa',
      '\\Q.*\\E',
      '(?i)a',
      '(?U)a+',
      '(?<n>a)',
      '(?P<n>a)',
      '\\-',
      '(?i:a)',
      '[[:alpha:]]',
    ],
    ...[
      '\\bword\\b',
      'x{',
      'a{,3}',
      ']',
      '}',
      '[]a]',
      '[\\w-a]',
      '[a-\\d]',
      '\\a',
      '\\x{1F600}',
      '\\C',
      '^*',
      '\\_',
      '[a\\pL]',
      '[[]',
      '(?s).',
    ],
  ])('without a pattern that another engine refuses or reads otherwise: %s', (pattern) => {
    expect(listed(pattern)).toEqual({ type: 'string', description: `Matches the RE2 pattern ${pattern}` });
    expect(listed(pattern, { description: 'A word' })).toEqual({ type: 'string', description: 'A word' });
  });

  test('without an empty text to choose from', () => {
    const offered = (values: readonly string[]) => {
      const a = { type: 'string', enum: values };
      return parametersForModel(parametersSchema.parse({ properties: { a } })).properties.a;
    };
    expect(offered(['', 'S'])).toEqual({ type: 'string', enum: ['S'] });
    expect(offered([''])).toEqual({ type: 'string' });
  });

  test('have no pattern that ECMA-262 with the flag u refuses, and no empty text, whatever may be saved', () => {
    const pieces = fc.constantFrom(
      ...[
        'a',
        '-',
        '/',
        '_',
        '"',
        ' ',
        'é',
        '😀',
        '.',
        '^',
        '$',
        '|',
        '(',
        '(?:',
        '(?i)',
        '(?P<n>',
        ')',
        '[',
        '[^',
        ']',
        '[[:alpha:]]',
      ],
      ...[
        '*',
        '+',
        '?',
        '{',
        '}',
        '{2}',
        '{1,3}',
        '{,3}',
        ',',
        '&&',
        '--',
        '~~',
        '\\d',
        '\\W',
        '\\s',
        '\\b',
        '\\pL',
        '\\p{Greek}',
        '\\z',
        '\\A',
      ],
      ...[
        '\\Q',
        '\\E',
        '\\x41',
        '\\x{41}',
        '\\n',
        '\\-',
        '\\]',
        '\\[',
        '\\\\',
        '\\/',
        '\\_',
        '\\C',
        '\\0',
        '\\1',
        '\\u0041',
        '\\cA',
      ],
    );
    const property = fc.record(
      {
        type: fc.constant('string'),
        pattern: fc.array(pieces, { maxLength: 6 }).map((some) => some.join('')),
        description: fc.constant('of the admin'),
        enum: fc.uniqueArray(fc.constantFrom('', 'a', 'B', '😀'), { minLength: 1 }),
        format: fc.constant('email'),
      },
      { requiredKeys: ['type'] },
    );
    let patterns = 0;
    fc.assert(
      fc.property(
        fc.record({ a: property, b: property }, { requiredKeys: [] }),
        fc.boolean(),
        (properties, isStrict) => {
          const { success, data } = parametersSchema.safeParse({ properties });
          if (!success || parametersProblem(data) !== undefined) return;
          const schema = parametersForModel(data, isStrict);
          const text = JSON.stringify(schema);
          expect(text).not.toMatch(/"enum":\[(?:\]|"")/);
          for (const [, pattern = '""'] of text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)) {
            expect(() => new RegExp(JSON.parse(pattern), 'u')).not.toThrow();
            patterns++;
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(patterns).toBeGreaterThan(100);
  });
});
