import { readFileSync, writeFileSync } from 'node:fs';
import { INTERNAL_ERROR, REFUSALS } from '../src/contract/errors.ts';

// Writes docs/api.md from docs/openapi.json. The page lists every public route with its parameters, bodies, answers and refusals.

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);
const REFERENCE = new URL('../docs/api.md', import.meta.url);

/** The part of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
};
/** Whether the service receives the object in a body or sends it in an answer. */
type Side = 'body' | 'answer';

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
};
type Operation = {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const INTRODUCTION = `# API reference

<!-- \`node scripts/api-reference.ts\` generates this page from docs/openapi.json. A test checks that both agree. -->

This page is for **customer developers** and **platform teams**. After reading it you can call every route of the service over HTTP.

Each route is below \`{base_url}\` and has its parameters, bodies and answers. The same content is available as an
[OpenAPI document](openapi.json). The contract leaves some parts open, such as the shape
of errors and the dashboard's routes. [Open points](open-points.md) lists these parts; they may change.

An error has the body \`{"success": false, "code": "<code>", "error": "<message>"}\`. When a field is wrong, \`field\` names it, and \`fields\`
lists every wrong field with its problem. Compare the [code](#error-codes), which is stable, and not the message. A 429 has the header
\`Retry-After\` with the number of seconds to wait. A field of a body is optional unless it is marked *required*.`;

const TAGS: Readonly<Record<string, string>> = {
  'customer backend': 'Customer backend',
  widget: 'Widget',
  dashboard: 'Dashboard',
};

/** Returns the text of docs/api.md. @param openApi the text of docs/openapi.json */
export function apiReference(openApi: string): string {
  const document: Document = JSON.parse(openApi);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const chapters = Object.entries(TAGS).map(([tag, title]) => {
    const sections = operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .map(({ path, method, operation }) => `### ${method} ${path}\n\n${describeOperation(operation)}`);
    return `## ${title}\n\n${sections.join('\n\n')}`;
  });
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => name !== 'Error')
    .map(([name, schema]) => `### ${name}\n\n${describeSchema(schema, 'answer')}`);
  return `${[INTRODUCTION, ...chapters, `## Schemas\n\n${schemas.join('\n\n')}`, errorCodes()].join('\n\n')}\n`;
}

function errorCodes(): string {
  const { code, status, message } = INTERNAL_ERROR;
  const rows = [...Object.entries(REFUSALS), [code, { status, message }] as const];
  return `## Error codes

Every route, and every function that the platform invokes directly, returns a code with each refusal. Codes are stable. A
message may contain more than this table shows, such as the id that does not exist.

${table(
  ['Code', 'Status', 'Message'],
  rows.map(([name, error]) => [`\`${name}\``, String(error.status), `\`${error.message}\``]),
)}`;
}

function describeOperation({ summary, description, parameters, requestBody, responses }: Operation): string {
  const parts = [[summary.replace(/([^.])$/, '$1.'), description].filter((text) => text !== undefined).join(' ')];
  if (parameters.length > 0) {
    parts.push(
      table(
        ['Parameter', 'In', 'Notes'],
        parameters.map(({ name, in: place, required, description: notes }) => [
          `\`${name}\``,
          place,
          [required ? '*required*' : '', notes ?? ''].filter((text) => text !== '').join('; '),
        ]),
      ),
    );
  }
  const body = requestBody === undefined ? undefined : schemaOf(requestBody.content);
  if (body !== undefined) parts.push(`Body:\n\n${describeSchema(body, 'body')}`);
  for (const [status, { content }] of Object.entries(responses)) {
    const schema = content === undefined ? undefined : schemaOf(content);
    if (Number(status) < 300 && schema !== undefined)
      parts.push(`Answer ${status}:\n\n${describeSchema(schema, 'answer')}`);
  }
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 300);
  if (refusals.length > 0) {
    parts.push(
      table(
        ['Status', 'When'],
        refusals.map(([status, response]) => [status, response.description]),
      ),
    );
  }
  return parts.join('\n\n');
}

function schemaOf(content: Content): Schema | undefined {
  return content['application/json']?.schema;
}

function describeSchema(schema: Schema, side: Side): string {
  if (schema.$ref !== undefined) return `${typeName(schema)}.`;
  if (schema.oneOf !== undefined) return schema.oneOf.map((variant) => describeVariant(variant, side)).join('\n\n');
  const rows = fields(schema, '', side);
  return rows.length === 0 ? `${typeName(schema)}.` : table(['Field', 'Type', 'Notes'], rows);
}

/** Describes one of several shapes. A constant field distinguishes them. */
function describeVariant(schema: Schema, side: Side): string {
  const constant = Object.entries(schema.properties ?? {}).find(([, property]) => property.const !== undefined);
  const title = constant === undefined ? '' : `\`${constant[0]}\` is \`${JSON.stringify(constant[1].const)}\`:\n\n`;
  return title + table(['Field', 'Type', 'Notes'], fields(schema, '', side));
}

/** Lists one row per field. The rows of an object's or a list's fields follow it, with its name as a prefix. */
function fields(schema: Schema, prefix: string, side: Side): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const inner = withoutNull(property);
    const variants = inner.oneOf ?? [];
    const row = [
      `\`${path}\``,
      typeName(property),
      notes(property, presence(schema.required?.includes(name) ?? false, side), side),
    ];
    const below =
      inner.items === undefined
        ? [...fields(inner, `${path}.`, side), ...variants.flatMap((variant) => fields(variant, `${path}.`, side))]
        : fields(withoutNull(inner.items), `${path}[].`, side);
    return [row, ...below.filter(([field], index) => below.findIndex(([other]) => other === field) === index)];
  });
}

function withoutNull(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 && others[0] !== undefined ? others[0] : schema;
}

function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(typeName))].join(' or ');
  if (schema.items !== undefined) return `list of ${typeName(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function presence(required: boolean, side: Side): string {
  if (side === 'body') return required ? '*required*' : '';
  return required ? '' : '*may be missing*';
}

function notes(schema: Schema, present: string, side: Side): string {
  const inner = withoutNull(schema);
  const bounds = [
    inner.minimum === undefined || isUnbounded(inner.minimum) ? '' : `at least ${inner.minimum}`,
    inner.maximum === undefined || isUnbounded(inner.maximum) ? '' : `at most ${inner.maximum}`,
    inner.minItems === undefined ? '' : `at least ${inner.minItems}`,
    inner.maxItems === undefined ? '' : `at most ${inner.maxItems}`,
    inner.maxLength === undefined ? '' : `at most ${inner.maxLength} characters`,
  ];
  const preset = inner.default === undefined || side === 'answer' ? '' : `default \`${JSON.stringify(inner.default)}\``;
  const description = schema.description ?? inner.description ?? '';
  return [present, description, ...bounds, preset].filter((text) => text !== '').join('; ');
}

/** Returns whether a bound only says that a number is a safe integer. */
function isUnbounded(bound: number): boolean {
  return Math.abs(bound) === Number.MAX_SAFE_INTEGER;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main) writeFileSync(REFERENCE, apiReference(readFileSync(DOCUMENT, 'utf8')));
