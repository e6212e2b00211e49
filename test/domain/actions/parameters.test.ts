import { type ParametersSchema, parametersSchema } from '../../../src/contract/actions.ts';
import { checkArguments, parametersProblem } from '../../../src/domain/actions/parameters.ts';

const PARAMETERS: ParametersSchema = parametersSchema.parse({
  properties: {
    order: { type: 'string', pattern: '^[A-Z]{2}\\d+$' },
    email: { type: 'string', format: 'email' },
    count: { type: 'integer' },
    price: { type: 'number' },
    gift: { type: 'boolean' },
  },
  required: ['order'],
});

test.each<[string, Record<string, unknown>]>([
  ['the required argument', { order: 'AB12' }],
  ['all arguments', { order: 'AB12', email: 'ada@example.com', count: -3, price: 1.5, gift: false }],
  ['a whole number as integer', { order: 'AB12', count: 2.0 }],
])('%s is valid', (_, values) => {
  expect(checkArguments(PARAMETERS, values)).toEqual({ valid: true, values });
});

test.each<[string, Record<string, unknown>]>([
  ['order: is required', {}],
  ['order: is required', { order: undefined }],
  ['order: must be a string', { order: 12 }],
  ['order: must be a string', { order: null }],
  ['order: must match the pattern', { order: 'ab12' }],
  ['email: must be an email address', { order: 'AB12', email: 'ada' }],
  ['count: must be an integer', { order: 'AB12', count: 1.5 }],
  ['count: must be an integer', { order: 'AB12', count: '1' }],
  ['price: must be a number', { order: 'AB12', price: '1.5' }],
  ['price: must be a number', { order: 'AB12', price: Number.POSITIVE_INFINITY }],
  ['gift: must be true or false', { order: 'AB12', gift: 'true' }],
])('%s: %p', (problem, values) => {
  expect(checkArguments(PARAMETERS, values)).toEqual({ valid: false, problem });
});

test('arguments that are not parameters are dropped; without parameters all are dropped', () => {
  expect(checkArguments(PARAMETERS, { order: 'AB12', more: 1, __proto__: { gift: true } })).toEqual({
    valid: true,
    values: { order: 'AB12' },
  });
  expect(checkArguments(undefined, { a: 1 })).toEqual({ valid: true, values: {} });
});

test('arguments that are too long for their patterns are refused before they are matched, also when they are many', () => {
  const property = { type: 'string', pattern: '^(?i)(\\pL\\pN?){1,90}\\.' };
  const parameters = parametersSchema.parse({ properties: { a: property, b: property } });
  const check = (a: number, b: number) => {
    const started = performance.now();
    const verdict = checkArguments(parameters, { a: `é.${'é'.repeat(a)}`, b: `é.${'é'.repeat(b)}` });
    return [verdict.valid ? undefined : verdict.problem, performance.now() - started < 500];
  };
  expect(check(400, 400)).toEqual([undefined, true]);
  expect(check(250_000, 1)).toEqual(['a: is too long for its pattern', true]);
  expect(check(600, 600)).toEqual(['b: is too long for its pattern', true]);
});

test('a pattern with exponential time in a backtracking engine is checked in linear time', () => {
  const parameters = parametersSchema.parse({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  const started = performance.now();
  expect(checkArguments(parameters, { a: `${'a'.repeat(50_000)}!` })).toEqual({
    valid: false,
    problem: 'a: must match the pattern',
  });
  expect(performance.now() - started).toBeLessThan(2000);
});

test.each<[string | undefined, unknown]>([
  [undefined, { properties: { a: { type: 'string', pattern: '^\\d+$', format: 'email' } }, required: ['a'] }],
  [undefined, {}],
  ['required: b is not among the properties', { properties: { a: { type: 'string' } }, required: ['b'] }],
  ['required: constructor is not among the properties', { required: ['constructor'] }],
  ['properties.a: only a string can have pattern or format', { properties: { a: { type: 'number', pattern: 'x' } } }],
  [
    'properties.a.pattern: is not supported (RE2 syntax: no look-around, no back-references)',
    { properties: { a: { type: 'string', pattern: '(?=x)' } } },
  ],
  [
    'properties.a.pattern: is too complex (1002 instructions; the limit is 600)',
    { properties: { a: { type: 'string', pattern: 'a{1000}' } } },
  ],
  [undefined, { properties: { a: { type: 'string', pattern: '^[a-z]{1,255}$' } } }],
  ['properties.a.enum: "2" is not of type integer', { properties: { a: { type: 'integer', enum: [1, '2'] } } }],
  [undefined, { properties: { a: { type: 'string', enum: ['small', 'large'], description: 'Size' } } }],
])('returns the problem %p for %p', (problem, parameters) => {
  expect(parametersProblem(parametersSchema.parse(parameters))).toBe(problem);
});

test('refuses the pattern that exceeds the common limit, and compiles allowed patterns quickly', () => {
  const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
  const withPattern = (pattern: string) =>
    parametersSchema.parse({
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: `${name}${pattern}` }])),
    });
  expect(parametersProblem(withPattern('a{300}'))).toBe(
    'properties.p16.pattern: the patterns together are too complex',
  );
  expect(parametersProblem(withPattern('a{90}'))).toBeUndefined();
});

test.each(['Account Number', 'größe', '', 'a'.repeat(65), 'a/b', 'a$'])(
  'refuses the parameter name %j, which model APIs refuse',
  (name) => {
    const { error } = parametersSchema.safeParse({ properties: { [name]: { type: 'string' } } });
    expect(error?.issues.map(({ path }) => path)).toEqual([['properties', name]]);
  },
);

test.each(['title', 'default', 'minLength', 'additionalProperties', '$ref'])(
  'refuses the keyword %s by its name',
  (keyword) => {
    const { error } = parametersSchema.safeParse({ properties: { a: { type: 'string', [keyword]: 'x' } } });
    expect(error?.issues).toMatchObject([{ path: ['properties', 'a'], keys: [keyword] }]);
  },
);

test.each([
  ['small', true],
  ['Small', false],
  ['', false],
  [1, false],
])('an argument must be a value of enum: %j', (size, valid) => {
  const parameters = parametersSchema.parse({ properties: { size: { type: 'string', enum: ['small', 'large'] } } });
  const verdict = checkArguments(parameters, { size });
  expect(verdict.valid).toBe(valid);
  if (!verdict.valid) expect(verdict.problem).toMatch(/^size: must be /);
});

test('a text with an unpaired surrogate is refused', () => {
  const parameters = parametersSchema.parse({ properties: { name: { type: 'string' } } });
  expect(checkArguments(parameters, { name: 'a\ud800' })).toEqual({
    valid: false,
    problem: 'name: must be well-formed Unicode',
  });
});

test.each([
  [
    'properties',
    { properties: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`p${i}`, { type: 'string' }])) },
  ],
  ['required', { required: Array.from({ length: 51 }, () => 'a') }],
  ['properties.a.pattern', { properties: { a: { type: 'string', pattern: 'x'.repeat(201) } } }],
  [
    '',
    {
      properties: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`p${i}`, { type: 'string', description: 'é'.repeat(500) }]),
      ),
    },
  ],
])('parameters that are too many or too long are refused with the field: %p', (field, parameters) => {
  const { error } = parametersSchema.safeParse(parameters);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});
