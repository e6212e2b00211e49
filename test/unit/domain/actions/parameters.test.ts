import { readFileSync } from 'node:fs';
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
    expect(checkArguments(PARAMETERS, { ...values, ...more })).toEqual({ isValid: true, values });
    expect(checkArguments(PARAMETERS, { order: 'AB12', ...more })).toEqual({
      isValid: true,
      values: { order: 'AB12' },
    });
    expect(checkArguments(undefined, more)).toEqual({ isValid: true, values: {} });
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
    expect(checkArguments(PARAMETERS, values)).toEqual({ isValid: false, problem });
  });

  test('that are too long for their patterns are refused before they are matched, also when they are many', () => {
    const property = { type: 'string', pattern: '^(?i)(\\pL\\pN?){1,90}\\.' };
    const parameters = parametersSchema.parse({ properties: { a: property, b: property } });
    const check = (a: number, b: number) => {
      const values = { a: `é.${'é'.repeat(a)}`, b: `é.${'é'.repeat(b)}` };
      return () => checkArguments(parameters, values);
    };
    const refusalOf = (name: string) => ({
      isValid: false,
      problem: `${name}: is too long for the patterns of this Action`,
    });
    expect(check(400, 400)()).toMatchObject({ isValid: true });
    expect(check(250_000, 1)()).toEqual(refusalOf('a'));
    expect(check(600, 600)()).toEqual(refusalOf('b'));
    expect(costRatio(check(250_000, 1), check(400, 400))).toBeLessThan(1);
    expect(costRatio(check(600, 600), check(400, 400))).toBeLessThan(5);
  });

  test('are matched in linear time, also with a pattern that takes a backtracking engine exponential time', () => {
    const parameters = parametersSchema.parse(of({ type: 'string', pattern: '^(a+)+$' }));
    const check = (length: number) => () => checkArguments(parameters, { a: `${'a'.repeat(length)}!` });
    expect(check(50_000)()).toEqual({ isValid: false, problem: 'a: must match the pattern' });
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
    expect(checkArguments(parameters, { a: data }).isValid).toBe(valid);
  });

  test.each([
    ...rows('required', isJsonObject, ({ properties, required = [] }) => ({
      properties: numbers(properties),
      required,
    })),
    ...rows('properties', isJsonObject, ({ properties }) => ({ properties })),
  ])('an object of arguments: %s', (_, data, valid, parameters) => {
    expect(checkArguments(parameters, Object(data)).isValid).toBe(valid);
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
  const listed = (property: object, isStrict = false) =>
    parametersForModel(parametersSchema.parse(of(property)), isStrict).properties.a;

  // What one of the APIs refuses: Gemini a format, an empty choice and one that is not a text, strict modes a line end, local models an escape.
  test.each<[property: object, description: string | undefined, choices: readonly string[]]>([
    [{ type: 'string' }, undefined, []],
    [{ type: 'string', description: 'A size', enum: ['S', 'M', '😀'] }, 'A size', ['S', 'M', '😀']],
    [{ type: 'string', enum: ['', 'S'] }, 'One of ["","S"]', []],
    [{ type: 'string', enum: ['a\nb', 'S'] }, 'One of ["a\\nb","S"]', []],
    [{ type: 'string', enum: ['a\u2028b'] }, 'One of ["a\u2028b"]', []],
    [{ type: 'integer', enum: [60, JSON.rawJSON('9007199254740993')] }, 'One of [60,9007199254740993]', []],
    [{ type: 'number', enum: [JSON.rawJSON('1e400')] }, 'One of [1e400]', []],
    [{ type: 'boolean', description: 'Agreed', enum: [true] }, 'Agreed\nOne of [true]', []],
    [{ type: 'string', format: 'email' }, 'An email address', []],
    [{ type: 'string', pattern: '^\\d{5}$' }, 'Matches the regular expression ^\\d{5}$', []],
    [{ type: 'string', pattern: '(?i)\\pN\\-\\/' }, 'Matches the regular expression (?i)\\pN\\-\\/', []],
    [
      { type: 'string', description: 'Its owner', pattern: '\\.example$', format: 'email', enum: ['a@b.example'] },
      'Its owner\nMatches the regular expression \\.example$\nAn email address',
      ['a@b.example'],
    ],
  ])('say in the description what an API refuses as a keyword: %j', (property, description, choices) => {
    const listedType = { type: Object(property).type, ...(choices.length > 0 && { enum: choices }) };
    const said = description === undefined ? {} : { description };
    expect(listed(property)).toEqual({ ...said, ...listedType });
    expect(listed(property, true)).toEqual({ ...said, anyOf: [listedType, { type: 'null' }] });
  });
});
