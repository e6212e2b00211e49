import { RE2JS } from 're2js';
import { type ParameterProperty, type ParametersSchema, toolParameterName } from '../../contract/actions.ts';
import { isWellFormed } from '../../contract/characters.ts';
import { PATTERN_MAX_INSTRUCTIONS, PATTERN_WORK_MAX, PATTERNS_MAX_INSTRUCTIONS } from '../../contract/limits.ts';
import { NOT_WELL_FORMED } from '../../contract/text.ts';
import { BoundedMap } from '../bounded-map.ts';
import { isEmail } from './email.ts';

export type ArgumentValues = Readonly<Record<string, string | number | boolean>>;

export type ArgumentsVerdict =
  | { readonly valid: true; readonly values: ArgumentValues }
  | { readonly valid: false /** Names the field. */; readonly problem: string };

/** The parameters of an Action that was created without parameters: its endpoint receives an empty JSON object. */
export const NO_PARAMETERS: ParametersSchema = { type: 'object', properties: {}, required: [] };

const patterns = new BoundedMap<string, RE2JS>(200);

/** Compiling takes milliseconds, matching much less. @throws the error of a pattern with wrong syntax */
function compiled(pattern: string): RE2JS {
  const expression = patterns.get(pattern) ?? RE2JS.compile(pattern);
  patterns.set(pattern, expression);
  return expression;
}

/**
 * Checks the assistant's arguments against an Action's parameters (spec "Action", parameters). Drops arguments that are not parameters.
 * A linear-time engine matches patterns, because neither the pattern nor the text can be trusted, and their product is limited.
 */
export function checkArguments(
  parameters: ParametersSchema | undefined,
  args: Readonly<Record<string, unknown>>,
): ArgumentsVerdict {
  const { properties, required } = parameters ?? NO_PARAMETERS;
  const values: [string, string | number | boolean][] = [];
  let work = 0;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(args, name) || args[name] === undefined) {
      if (required.includes(name)) return { valid: false, problem: `${name}: is required` };
      continue;
    }
    work += matchingWork(property, args[name]);
    if (work > PATTERN_WORK_MAX) return { valid: false, problem: `${name}: is too long for its pattern` };
    const checked = checkValue(property, args[name]);
    if ('problem' in checked) return { valid: false, problem: `${name}: ${checked.problem}` };
    if (property.enum !== undefined && !property.enum.some((allowed) => allowed === checked.value)) {
      return { valid: false, problem: `${name}: must be one of ${JSON.stringify(property.enum)}` };
    }
    values.push([name, checked.value]);
  }
  return { valid: true, values: Object.fromEntries(values) };
}

function matchingWork({ pattern }: ParameterProperty, value: unknown): number {
  return pattern === undefined || typeof value !== 'string' ? 0 : compiled(pattern).programSize() * value.length;
}

function checkValue(
  property: ParameterProperty,
  value: unknown,
): { readonly value: string | number | boolean } | { readonly problem: string } {
  switch (property.type) {
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: 'must be true or false' };
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) ? { value } : { problem: 'must be an integer' };
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? { value } : { problem: 'must be a number' };
    case 'string': {
      if (typeof value !== 'string') return { problem: 'must be a string' };
      if (!isWellFormed(value)) return { problem: NOT_WELL_FORMED };
      if (property.format === 'email' && !isEmail(value)) return { problem: 'must be an email address' };
      if (property.pattern !== undefined && !compiled(property.pattern).matcher(value).find()) {
        return { problem: 'must match the pattern' };
      }
      return { value };
    }
  }
}

/** Returns why parameters of the right shape cannot be saved, or undefined when they can. */
export function parametersProblem(parameters: ParametersSchema): string | undefined {
  for (const name of parameters.required) {
    if (!Object.hasOwn(parameters.properties, name)) return `required: ${name} is not among the properties`;
  }
  let instructions = 0;
  for (const [name, property] of Object.entries(parameters.properties)) {
    if (property.type !== 'string' && (property.pattern !== undefined || property.format !== undefined)) {
      return `properties.${name}: only a string can have pattern or format`;
    }
    const unfit = property.enum?.find((value) => 'problem' in checkValue({ type: property.type }, value));
    if (unfit !== undefined) return `properties.${name}.enum: ${JSON.stringify(unfit)} is not of type ${property.type}`;
    if (property.pattern === undefined) continue;
    const field = `properties.${name}.pattern`;
    const size = instructionsOf(property.pattern);
    if (size === undefined) return `${field}: is not supported (RE2 syntax: no look-around, no back-references)`;
    if (size > PATTERN_MAX_INSTRUCTIONS)
      return `${field}: is too complex (${size} instructions; the limit is ${PATTERN_MAX_INSTRUCTIONS})`;
    instructions += size;
    // Checked before the next pattern is compiled, so that the work for a refused input is bounded.
    if (instructions > PATTERNS_MAX_INSTRUCTIONS) return `${field}: the patterns together are too complex`;
  }
  return undefined;
}

/**
 * Returns the parameters whose names model APIs refuse. One of them in a list of tools makes a model API refuse the whole request, so an
 * Action that was stored with such a name must not be listed.
 */
export function unlistableParameters({ properties }: ParametersSchema): readonly string[] {
  return Object.keys(properties).filter((name) => !toolParameterName.safeParse(name).success);
}

/** Returns the length of the compiled program, with which time and memory grow; undefined for a pattern that cannot be compiled. */
function instructionsOf(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}
