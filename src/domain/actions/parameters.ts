import ipaddr from 'ipaddr.js';
import { RE2JS } from 're2js';
import type { ParameterProperty, ParametersSchema } from '../../contract/actions.ts';
import { isWellFormed, type JsonObject, NOT_WELL_FORMED, type RawNumber } from '../../contract/fields.ts';
import { toolParameters } from '../../contract/invocations.ts';
import { PATTERN_MAX_INSTRUCTIONS, PATTERN_WORK_MAX, PATTERNS_MAX_INSTRUCTIONS } from '../../contract/limits.ts';
import { BoundedMap } from '../bounded-map.ts';
import { jsonNumberOf } from '../json-number.ts';
import type { FieldProblem } from '../refusal.ts';

/** A value of an argument. A number that JavaScript would write otherwise stays as it was written. */
export type ArgumentValue = string | number | RawNumber | boolean;
type ArgumentValues = Readonly<Record<string, ArgumentValue>>;

/** The arguments to send, or the problem with one of them, which begins with the name of the parameter. */
export type ArgumentsVerdict =
  | { readonly isValid: true; readonly values: ArgumentValues }
  | { readonly isValid: false; readonly problem: string };

/** The parameters of an Action that was created without parameters: its endpoint receives an empty JSON object. */
export const NO_PARAMETERS: ParametersSchema = { type: 'object', properties: {}, required: [] };

const COMPILED_PATTERNS_MAX = 200;
const patterns = new BoundedMap<string, RE2JS>(COMPILED_PATTERNS_MAX);

/** Compiling takes milliseconds, matching much less, so a container keeps what it has compiled. @throws the error of a pattern with wrong syntax */
function compiledPattern(pattern: string): RE2JS {
  const expression = patterns.get(pattern) ?? RE2JS.compile(pattern);
  // Also when it was found: the map keeps the patterns that were used last.
  patterns.set(pattern, expression);
  return expression;
}

/**
 * Checks the assistant's arguments against an Action's parameters (spec "Action", parameters). Drops arguments that are not parameters.
 * A linear-time engine matches patterns, because neither the pattern nor the text can be trusted, and
 * PATTERN_WORK_MAX limits the length of the program times that of the text.
 */
export function checkArguments(parameters: ParametersSchema | undefined, args: JsonObject): ArgumentsVerdict {
  const { properties, required } = parameters ?? NO_PARAMETERS;
  const values: [string, ArgumentValue][] = [];
  let work = 0;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(args, name) || args[name] === undefined) {
      if (required.includes(name)) return { isValid: false, problem: `${name}: is required` };
      continue;
    }
    work += matchingWork(property, args[name]);
    if (work > PATTERN_WORK_MAX)
      return { isValid: false, problem: `${name}: is too long for the patterns of this Action` };
    const checkedValue = checkValue(property, args[name]);
    if ('problem' in checkedValue) return { isValid: false, problem: `${name}: ${checkedValue.problem}` };
    if (property.enum !== undefined && !distinct(property.enum).has(spellingOf(checkedValue.value))) {
      return { isValid: false, problem: `${name}: must be one of ${JSON.stringify(property.enum)}` };
    }
    values.push([name, checkedValue.value]);
  }
  return { isValid: true, values: Object.fromEntries(values) };
}

function matchingWork({ pattern }: ParameterProperty, value: unknown): number {
  return pattern === undefined || typeof value !== 'string' ? 0 : compiledPattern(pattern).programSize() * value.length;
}

/** Returns what equal values share: numbers are equal by their value, however they are written. */
const spellingOf = (value: ArgumentValue): string | boolean =>
  typeof value === 'boolean' ? value : typeof value === 'string' ? `"${value}` : (jsonNumberOf(value)?.spelling ?? '');

/** Returns the values by their spelling, of equal ones the first. */
function distinct(values: readonly ArgumentValue[]): ReadonlyMap<string | boolean, ArgumentValue> {
  const bySpelling = new Map<string | boolean, ArgumentValue>();
  for (const value of values) bySpelling.set(spellingOf(value), bySpelling.get(spellingOf(value)) ?? value);
  return bySpelling;
}

const isNumber = (value: unknown): value is number | RawNumber => jsonNumberOf(value) !== undefined;

/** Checks the type, the format and the pattern of a value, but not whether it is one of the `enum`. */
function checkValue(
  property: ParameterProperty,
  value: unknown,
): { readonly value: ArgumentValue } | { readonly problem: string } {
  switch (property.type) {
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: 'must be true or false' };
    case 'integer':
      return isNumber(value) && jsonNumberOf(value)?.integer ? { value } : { problem: 'must be an integer' };
    case 'number':
      return isNumber(value) ? { value } : { problem: 'must be a number' };
    case 'string': {
      if (typeof value !== 'string') return { problem: 'must be a string' };
      if (!isWellFormed(value)) return { problem: NOT_WELL_FORMED };
      if (property.format === 'email' && !isEmail(value)) return { problem: 'must be an email address' };
      if (property.pattern !== undefined && !compiledPattern(property.pattern).matcher(value).find()) {
        return { problem: 'must match the pattern' };
      }
      return { value };
    }
  }
}

/** A tool's parameters as a model receives them. In a strict list, all are required, and an optional one may be null. */
export type ToolSchema = Omit<ParametersSchema, 'properties'> & {
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties?: false;
};

/**
 * Returns stored parameters as a model receives them. A model API that does not take one part refuses the whole request, and with it all tools of the
 * assistant, and no keyword but `type`, `description` and an `enum` of texts is taken by all: Gemini refuses other values and formats, strict modes and
 * local models refuse patterns. The description has the rest. Arguments are checked against the stored parameters.
 * @param isStrict for the strict mode of an API
 */
export function parametersForModel(storedParameters: ParametersSchema = NO_PARAMETERS, isStrict = false): ToolSchema {
  const { properties, required, ...rest } = toolParameters.parse(storedParameters);
  const listedProperties = Object.entries(properties).map(([name, property]) => {
    const isOptional = isStrict && !required.includes(name);
    return [name, propertyForModel(property, isOptional)] as const;
  });
  const names = isStrict ? Object.keys(properties) : [...new Set(required)];
  return {
    ...rest,
    properties: Object.fromEntries(listedProperties),
    required: names,
    ...(isStrict ? { additionalProperties: false } : {}),
  };
}

function propertyForModel(
  { type, description, pattern, format, enum: values = [] }: ParameterProperty,
  mayBeNull: boolean,
): object {
  const choices = [...distinct(values).values()];
  // Strict modes refuse a line end in a choice, and Gemini an empty one.
  const areListed = choices.every((choice) => typeof choice === 'string' && /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(choice));
  const sentences = [
    description,
    pattern && `Matches the regular expression ${pattern}`,
    format && 'An email address',
    areListed ? '' : `One of ${JSON.stringify(choices)}`,
  ].filter(Boolean);
  const listedType = areListed && choices.length > 0 ? { type, enum: choices } : { type };
  return {
    ...(sentences.length > 0 ? { description: sentences.join('\n') } : {}),
    ...(mayBeNull ? { anyOf: [listedType, { type: 'null' }] } : listedType),
  };
}

/** Returns which part of parameters of the right shape cannot be saved, and why, or undefined when they can. */
export function parametersProblem(parameters: ParametersSchema): FieldProblem | undefined {
  for (const name of parameters.required) {
    if (!Object.hasOwn(parameters.properties, name))
      return { field: 'required', problem: `${name} is not among the properties` };
  }
  let instructions = 0;
  for (const [name, property] of Object.entries(parameters.properties)) {
    if (property.type !== 'string' && (property.pattern !== undefined || property.format !== undefined)) {
      return { field: `properties.${name}`, problem: 'only a string can have pattern or format' };
    }
    const unfit = property.enum?.find((value) => 'problem' in checkValue({ type: property.type }, value));
    if (unfit !== undefined)
      return { field: `properties.${name}.enum`, problem: `${JSON.stringify(unfit)} is not of type ${property.type}` };
    const twice = property.enum && distinct(property.enum).size < property.enum.length;
    if (twice) return { field: `properties.${name}.enum`, problem: 'must not name a value twice' };
    if (property.pattern === undefined) continue;
    const field = `properties.${name}.pattern`;
    const size = instructionsOf(property.pattern);
    if (size === undefined)
      return { field, problem: 'is not supported (RE2 syntax: no look-around, no back-references)' };
    if (size > PATTERN_MAX_INSTRUCTIONS)
      return { field, problem: `is too complex (${size} instructions; the limit is ${PATTERN_MAX_INSTRUCTIONS})` };
    instructions += size;
    // Checked before the next pattern is compiled, so that the work for a refused input is bounded.
    if (instructions > PATTERNS_MAX_INSTRUCTIONS) return { field, problem: 'the patterns together are too complex' };
  }
  return undefined;
}

/** Returns the length of the compiled program, with which time and memory grow; undefined for a pattern that cannot be compiled. */
function instructionsOf(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

/** Lengths in bytes of RFC 5321, section 4.5.3.1. The grammar is ASCII, so a character is a byte. */
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
/** A dot-string or a quoted string, then a domain or an address literal. The last `@` separates them, because only a quoted string has another. */
const MAILBOX = new RegExp(
  String.raw`^(?<local>${ATOM}(?:\.${ATOM})*|"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*")@(?:(?<domain>[A-Za-z0-9.-]+)|\[(?<literal>[^\]]*)\])$`,
);
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Returns whether a text is a Mailbox of RFC 5321, section 4.1.2, which JSON Schema's `format: email` names. Linear in the length of the text. */
export function isEmail(text: string): boolean {
  const { local, domain, literal } = (text.length <= ADDRESS_MAX ? MAILBOX.exec(text)?.groups : undefined) ?? {};
  if (local === undefined || local.length > LOCAL_PART_MAX) return false;
  return domain === undefined ? isAddressLiteral(literal ?? '') : domain.split('.').every((label) => LABEL.test(label));
}

/** Returns whether the text between the brackets of a Mailbox is an IPv4 address, or an IPv6 address after `IPv6:`. */
function isAddressLiteral(literal: string): boolean {
  if (!/^ipv6:/i.test(literal)) return ipaddr.IPv4.isValidFourPartDecimal(literal);
  const address = literal.slice('IPv6:'.length);
  // ipaddr.js also accepts a zone.
  return /^[0-9a-f:.]+$/i.test(address) && ipaddr.IPv6.isValid(address);
}
