import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isList, isObject, type Json, type JsonRecord } from '../json.ts';

const shape = z.object({
  type: z.enum(['structure', 'list', 'map', 'string', 'blob', 'integer', 'boolean', 'timestamp']),
  required: z.array(z.string()).default([]),
  members: z.record(z.string(), z.string()).default({}),
  member: z.string().optional(),
  key: z.string().optional(),
  value: z.string().optional(),
  min: z.number().default(0),
  max: z.number().default(Number.POSITIVE_INFINITY),
  /** Matches the whole text. */
  pattern: z
    .string()
    .transform((source) => new RegExp(`^(?:${source})$`, 'u'))
    .optional(),
  enum: z.array(z.string()).optional(),
});
type Shape = z.infer<typeof shape>;

/** By service: the name of the shape of each operation's parameters, and the shapes by name. */
const models = z.object({
  services: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.string()), shapes: z.record(z.string(), shape) }),
  ),
});

/** What AWS's models say about the parameters of calls, as scripts/aws-models.ts has written it. */
const { services } = models.parse(JSON.parse(readFileSync(new URL('./aws-models.json', import.meta.url), 'utf8')));

/** The types of JSON in which the values of a shape come; a blob is in base64. */
const JSON_TYPES: Readonly<Partial<Record<Shape['type'], string>>> = {
  string: 'string',
  blob: 'string',
  integer: 'number',
  boolean: 'boolean',
  timestamp: 'number',
};

/** Why AWS's model refuses the parameters. What it does not name is ignored. @throws Error without a model */
export function modelProblem(service: string, operation: string, parameters: JsonRecord): string | undefined {
  const model = services[service];
  const input = model?.inputs[operation];
  if (model === undefined || input === undefined) throw new Error(`There is no model of ${service} ${operation}`);
  const problemOf = (name: string | undefined, value: Json | undefined, path: string): string | undefined => {
    const valueShape = model.shapes[name ?? ''];
    if (valueShape === undefined || value === undefined || value === null) return undefined;
    const { type, required, members, min, max, pattern, enum: values } = valueShape;
    const fault = (constraint: string) => `Value at '${path}' failed to satisfy constraint: Member must ${constraint}`;
    /** The first problem of the parts, or of their number. */
    const partsProblem = (parts: readonly (readonly [string | undefined, Json | undefined, string])[]) =>
      parts.length < min || parts.length > max
        ? fault(`have length between ${min} and ${max}`)
        : parts.map((part) => problemOf(...part)).find((problem) => problem !== undefined);
    if (type === 'structure') {
      if (!isObject(value)) return fault('be a structure');
      const missingMember = required.find((member) => value[member] === undefined || value[member] === null);
      if (missingMember !== undefined)
        return `Value at '${path}.${missingMember}' failed to satisfy constraint: Member must not be null`;
      for (const [member, memberShape] of Object.entries(members)) {
        const problem = problemOf(memberShape, value[member], `${path}.${member}`);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }
    if (type === 'list') {
      if (!isList(value)) return fault('be a list');
      return partsProblem(value.map((item, index) => [valueShape.member, item, `${path}.${index + 1}.member`]));
    }
    if (type === 'map') {
      if (!isObject(value)) return fault('be a map');
      const names = partsProblem(Object.keys(value).map((key) => [valueShape.key, key, `${path} (key)`]));
      return (
        names ?? partsProblem(Object.entries(value).map(([key, part]) => [valueShape.value, part, `${path}.${key}`]))
      );
    }
    if (typeof value !== JSON_TYPES[type]) return fault(`be a ${type}`);
    const size = typeof value === 'string' ? lengthOf(value, type) : Number(value);
    const isNumberOrText = type !== 'boolean' && type !== 'timestamp';
    if (isNumberOrText && (size < min || size > max)) return fault(`be between ${min} and ${max}`);
    if (type === 'integer' && !Number.isInteger(value)) return fault('be an integer');
    if (pattern?.test(String(value)) === false) return fault(`satisfy regular expression pattern: ${pattern.source}`);
    if (values?.includes(String(value)) === false) return fault(`satisfy enum value set: [${values.join(', ')}]`);
    return undefined;
  };
  return problemOf(input, parameters, operation);
}

/** Characters of a text, bytes of a blob. */
const lengthOf = (text: string, type: Shape['type']): number =>
  type === 'blob' ? Buffer.byteLength(text, 'base64') : [...text].length;
