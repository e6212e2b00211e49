import fc from 'fast-check';
import { PROPERTIES, type Schema } from './described-routes.ts';
import { json, jsonText } from './hostile-values.ts';

/** Accepted values by property name, for properties whose schema does not say which values are accepted. */
export type Examples = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const PLACE = '\uE000';
const POLLUTING = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', ''];

/** Generates the JSON text of a body for a route. Nine of ten bodies have one fault. */
export function bodyFor(schema: Schema, examples: Examples): fc.Arbitrary<string> {
  return fc
    .record({ body: valid(schema, examples), at: fc.nat(1000), hostile: jsonText, spoil: fc.constantFrom(...SPOILERS) })
    .map(({ body, at, hostile, spoil }) => spoil(body, at, hostile));
}

/** Functions that put one fault into a body, at the position `at`, some of them with the text of a hostile JSON value. */
const SPOILERS: readonly ((body: unknown, at: number, hostile: string) => string)[] = [
  (body) => JSON.stringify(body),
  replaced,
  replaced,
  (body, at) => replaced(body, at, undefined),
  (body, at) => replaced(body, at, WRONG_TYPES[at % WRONG_TYPES.length]),
  (body, at) => replaced(body, at, JSON.stringify('é🙂\u202e'.repeat(10 ** (1 + (at % 5))))),
  (body, at, hostile) => inserted(body, at, POLLUTING[at % POLLUTING.length] ?? '', hostile),
  (body, at, hostile) => inserted(body, at, undefined, hostile),
  (body, at) => JSON.stringify(body).slice(0, at % JSON.stringify(body).length),
  (body, _, hostile) => JSON.stringify(body) + hostile,
];
const WRONG_TYPES = ['null', 'true', '[]', '{}', '""', '0', '-1', '0.5', '9007199254740993', '[[]]', '"1"'];

/** Replaces one value in the body, or the body itself, by this text. Without a text, removes the value. */
function replaced(body: unknown, at: number, text: string | undefined): string {
  let places = 0;
  JSON.stringify(body, (_, value: unknown) => {
    places++;
    return value;
  });
  const chosen = at % places;
  let place = 0;
  const withPlace = JSON.stringify(body, (_, value: unknown) => {
    if (place++ !== chosen) return value;
    return text === undefined ? undefined : PLACE;
  });
  return withPlace?.replace(`"${PLACE}"`, () => text ?? '') ?? '';
}

/** Adds a member to one of the body's objects, with this name or with the name of the object's first member. */
function inserted(body: unknown, at: number, name: string | undefined, value: string): string {
  const text = JSON.stringify(body);
  const objects = [...text.matchAll(/\{(?:"((?:[^"\\]|\\.)*)")?/g)];
  const object = objects[at % Math.max(1, objects.length)];
  if (object === undefined) return text;
  const start = object.index + 1;
  const key = JSON.stringify(name ?? object[1] ?? 'a');
  return `${text.slice(0, start)}${key}:${value}${text[start] === '}' ? '' : ','}${text.slice(start)}`;
}

function valid(schema: Schema, examples: Examples, name = ''): fc.Arbitrary<unknown> {
  const example = examples[name];
  if (example !== undefined) return example;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((one) => valid(one, examples, name)));
  switch ([schema.type].flat()[0]) {
    case 'object':
      return object(schema, examples);
    case 'array':
      return fc.array(valid(schema.items ?? {}, examples, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1e6, 1e6) });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return schema.pattern === undefined ? fc.string({ maxLength: 40 }) : fc.stringMatching(RegExp(schema.pattern));
    default:
      return json;
  }
}

/** Generates an object with the properties of the schema, or with names that the service knows when the schema allows any name. */
function object({ properties, required = [] }: Schema, examples: Examples): fc.Arbitrary<object> {
  if (properties === undefined) {
    const entries = fc
      .constantFrom(...PROPERTIES.entries())
      .chain(([name, schema]) => fc.tuple(fc.constant(name), valid(schema, examples, name)));
    return fc.array(entries, { maxLength: 3 }).map(Object.fromEntries);
  }
  const values = Object.entries(properties).map(([name, schema]) => [name, valid(schema, examples, name)]);
  const record: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(values);
  return fc.record(record, { requiredKeys: [...required] });
}
