import { matchesWildcard } from '../access/wildcards.ts';
import { CloudError } from '../cloud-error.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';

/**
 * Whether an event fits the pattern of a rule. Each field of the pattern lists what it may be; several fields must all
 * fit; an array in the event fits when one of its members does.
 */
export function matchesPattern(pattern: JsonObject, event: JsonObject): boolean {
  return Object.entries(pattern).every(([field, expected]) => {
    const actual = event[field];
    if (isList(expected)) return fits(expected, actual);
    if (!isObject(expected)) throw unknown(field, expected);
    if (isList(actual)) return actual.some((member) => isObject(member) && matchesPattern(expected, member));
    return matchesPattern(expected, isObject(actual) ? actual : {});
  });
}

/** @throws CloudError when a pattern asks for a comparison that is not known here */
export function requireKnownPattern(pattern: JsonObject): void {
  for (const [field, expected] of Object.entries(pattern)) {
    if (isObject(expected)) requireKnownPattern(expected);
    else if (!isList(expected) || field.startsWith('$')) throw unknown(field, expected);
    else for (const one of expected) if (isObject(one)) filterOf(one, field);
  }
}

type Filter = { accepts(value: Json | undefined): boolean };

function fits(expected: readonly Json[], actual: Json | undefined): boolean {
  const values: readonly (Json | undefined)[] = isList(actual) ? actual : [actual];
  return expected.some((one) => {
    if (!isObject(one)) return values.includes(one);
    return values.length === 0
      ? filterOf(one, '').accepts(undefined)
      : values.some((value) => filterOf(one, '').accepts(value));
  });
}

function filterOf(filter: JsonObject, field: string): Filter {
  const [[name, argument] = ['', null], ...others] = Object.entries(filter);
  if (others.length > 0) throw unknown(field, filter);
  const text = (test: (value: string, argument: string) => boolean): Filter => {
    if (typeof argument !== 'string') throw unknown(field, filter);
    return { accepts: (value) => typeof value === 'string' && test(value, argument) };
  };
  switch (name) {
    case 'exists':
      return { accepts: (value) => (value !== undefined) === argument };
    case 'prefix':
      return text((value, start) => value.startsWith(start));
    case 'suffix':
      return text((value, end) => value.endsWith(end));
    case 'equals-ignore-case':
      return text((value, other) => value.toLowerCase() === other.toLowerCase());
    case 'wildcard':
      return text((value, pattern) => matchesWildcard(pattern.replaceAll('?', '\\?'), value, { ignoreCase: false }));
    case 'anything-but':
      return anythingBut(argument ?? null, field);
    case 'numeric':
      return numeric(argument ?? null, field);
    default:
      throw unknown(field, filter);
  }
}

function anythingBut(argument: Json, field: string): Filter {
  if (isObject(argument)) {
    const inner = filterOf(argument, field);
    return { accepts: (value) => value !== undefined && !inner.accepts(value) };
  }
  const refused = isList(argument) ? argument : [argument];
  return { accepts: (value) => value !== undefined && !refused.includes(value) };
}

const COMPARISONS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '=': (value, limit) => value === limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

/** `["numeric", [">", 0, "<=", 5]]`: pairs that must all hold. */
function numeric(argument: Json, field: string): Filter {
  if (!isList(argument) || argument.length % 2 === 1) throw unknown(field, argument);
  const tests = Array.from({ length: argument.length / 2 }, (_, index) => {
    const compare = COMPARISONS[String(argument[index * 2])];
    const limit = argument[index * 2 + 1];
    if (compare === undefined || typeof limit !== 'number') throw unknown(field, argument);
    return (value: number) => compare(value, limit);
  });
  return { accepts: (value) => typeof value === 'number' && tests.every((test) => test(value)) };
}

const unknown = (field: string, what: Json): CloudError =>
  new CloudError(`The one-machine cloud does not know the event pattern ${field}: ${JSON.stringify(what)}`);
