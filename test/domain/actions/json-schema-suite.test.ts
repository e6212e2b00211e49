import { readFileSync } from 'node:fs';
import { type ParametersSchema, parametersSchema } from '../../../src/contract/actions.ts';
import { isJsonObject } from '../../../src/contract/json.ts';
import { checkArguments } from '../../../src/domain/actions/parameters.ts';

// The official cases of the keywords that parameters may have (test/vectors/json-schema-test-suite). A tool's arguments are always an
// object, and every parameter has a type, so cases in which a keyword ignores values of another type do not apply.

type Case = { readonly description: string; readonly data: unknown; readonly valid: boolean };
type Group = {
  readonly description: string;
  readonly schema: Record<string, unknown>;
  readonly tests: readonly Case[];
};

const groupsOf = (keyword: string): readonly Group[] =>
  JSON.parse(readFileSync(`test/vectors/json-schema-test-suite/${keyword}.json`, 'utf8'));

function rows(
  keyword: string,
  applies: (data: unknown) => boolean,
  parametersOf: (schema: Record<string, unknown>) => unknown,
): [string, unknown, boolean, ParametersSchema][] {
  const found = groupsOf(keyword).flatMap(({ description, schema, tests }) =>
    tests
      .filter(({ data }) => applies(data))
      .map((one): [string, unknown, boolean, ParametersSchema] => [
        `${description}: ${one.description}`,
        one.data,
        one.valid,
        parametersSchema.parse(parametersOf(schema)),
      ]),
  );
  expect(found.length).toBeGreaterThan(1);
  return found;
}

const ofOneValue = (property: Record<string, unknown>) => ({ properties: { value: property } });
const isText = (data: unknown) => typeof data === 'string';
const typed = (properties: unknown) =>
  Object.fromEntries(
    Object.entries(Object(properties)).map(([name, one]) => [name, { type: 'number', ...Object(one) }]),
  );

describe('one argument', () => {
  test.each([
    ...rows(
      'type',
      () => true,
      ({ type }) => ofOneValue({ type }),
    ),
    ...rows('pattern', isText, ({ pattern }) => ofOneValue({ type: 'string', pattern })),
    ...rows('email', isText, ({ format }) => ofOneValue({ type: 'string', format })),
  ])('%s', (_, data, valid, parameters) => {
    expect(checkArguments(parameters, { value: data }).valid).toBe(valid);
  });
});

describe('an object of arguments', () => {
  test.each([
    ...rows('required', isJsonObject, ({ properties, required = [] }) => ({ properties: typed(properties), required })),
    ...rows('properties', isJsonObject, ({ properties }) => ({ properties })),
  ])('%s', (_, data, valid, parameters) => {
    expect(checkArguments(parameters, Object(data)).valid).toBe(valid);
  });
});
