import type * as z from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/**
 * Says what is wrong with a value in the words of this service, which follow the name of the field. Schemas with a message of their own
 * keep it. Pass it as `error` when an input is parsed; people read the problem, and the words of the validation library change.
 */
export const inOurWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : mustBeOneOf(issue.values);
    case 'invalid_union':
      return typeof issue.discriminator === 'string' ? discriminated(issue) : 'has a wrong type';
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum);
    case 'too_small':
      return bound(issue.origin, 'at least', issue.minimum);
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : 'has a wrong format';
    case 'unrecognized_keys':
      return 'is not known';
    default:
      return 'is not valid';
  }
};

type Discriminated = { readonly discriminator?: unknown; readonly input?: unknown; readonly options?: unknown };

function discriminated({ discriminator, input, options }: Discriminated): string {
  if (Object(input)[String(discriminator)] === undefined) return 'is required';
  return mustBeOneOf(Array.isArray(options) ? options : []);
}

function mustBeOneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return `must be ${quoted.length > 1 ? 'one of ' : ''}${quoted.join(', ')}`;
}

function bound(origin: string, limit: string, number: number | bigint): string {
  if (origin === 'string') return `must be ${limit} ${number} characters`;
  if (origin === 'array') return `must have ${limit} ${number} entries`;
  return `must be ${limit} ${number}`;
}
