import { readFileSync, writeFileSync } from 'node:fs';
import { INTERNAL_ERROR, REFUSALS } from '../src/contract/errors.ts';

// Writes docs/api.md below its introduction from docs/openapi.json. The page lists every public route with its parameters, bodies, answers and refusals.

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
  readonly minLength?: number;
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
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
};
type Response = { readonly description: string; readonly content?: Content };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string; readonly description: string }>>;
  };
};

/** What stands above this line is written by hand. */
const GENERATED =
  '<!-- `node scripts/api-reference.ts` generates what follows from docs/openapi.json. A test checks that both agree. -->';

const TAGS: Readonly<Record<string, string>> = {
  'customer backend': 'Customer backend',
  widget: 'Widget',
  dashboard: 'Dashboard',
};

/** Returns the text of docs/api.md. @param page its present text, with the introduction @param openApi the text of docs/openapi.json */
export function apiReference(page: string, openApi: string): string {
  const [introduction = ''] = page.split(GENERATED);
  const document: Document = JSON.parse(openApi);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const chapters = Object.entries(TAGS).map(([tag, title]) => {
    const sections = operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .map(({ path, method, operation }) => `### ${method} ${path}\n\n${describeOperation(operation, document)}`);
    return `## ${title}\n\n${sections.join('\n\n')}`;
  });
  const inputs = inputSchemas(document);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${describeSchema(schema, inputs.has(name) ? 'body' : 'answer')}`,
  );
  const shared = sharedAnswers(
    operations.map(({ operation }) => operation),
    document.components,
  );
  return `${introduction}${[GENERATED, shared, ...chapters, `## Schemas\n\n${schemas.join('\n\n')}`, errorCodes()].join('\n\n')}\n`;
}

/** Returns the names of the schemas to which request bodies refer, also through others. */
function inputSchemas({ paths, components }: Document): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown) => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(components.schemas[name]);
    }
  };
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (operation.requestBody !== undefined) visit(operation.requestBody);
  }
  return found;
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

function describeOperation(operation: Operation, { components }: Document): string {
  const { summary, description, parameters, requestBody, responses, security } = operation;
  const parts = [[summary.replace(/([^.])$/, '$1.'), description].filter((text) => text !== undefined).join(' ')];
  const credentials = security.flatMap(Object.keys).flatMap((scheme) => {
    const { name, description: notes = '' } = components.securitySchemes[scheme] ?? {};
    return name === undefined ? [] : [[`\`${name}\``, 'header', [security.length === 1 ? '*required*' : '', notes]]];
  });
  const rows = [
    ...parameters.map(({ name, in: place, required, description: notes }) => [
      `\`${name}\``,
      place,
      [required ? '*required*' : '', notes ?? ''],
    ]),
    ...credentials,
  ].map((cells) =>
    cells.map((cell) => (typeof cell === 'string' ? cell : cell.filter((text) => text !== '').join('; '))),
  );
  if (rows.length > 0) parts.push(table(['Parameter', 'In', 'Notes'], rows));
  const body = requestBody === undefined ? undefined : schemaOf(requestBody.content);
  if (body !== undefined) parts.push(`Body:\n\n${describeSchema(body, 'body')}`);
  const answers = Object.entries(responses).flatMap(([status, response]) =>
    '$ref' in response ? [] : [{ status, ...response }],
  );
  for (const { status, content } of answers) {
    const schema = content === undefined ? undefined : schemaOf(content);
    if (Number(status) < 300 && schema !== undefined)
      parts.push(`Answer ${status}:\n\n${describeSchema(schema, 'answer')}`);
  }
  const refusals = answers.filter(({ status }) => Number(status) >= 300);
  const when = refusals.map(({ status, description: condition }) => [status, condition]);
  parts.push(table(['Status', 'When'], when));
  return parts.join('\n\n');
}

/** Lists the answers that several operations share, with their status. */
function sharedAnswers(operations: readonly Operation[], { responses }: Document['components']): string {
  const statuses = new Map(
    operations.flatMap((operation) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        '$ref' in response ? [[response.$ref, status] as const] : [],
      ),
    ),
  );
  const rows = Object.entries(responses).map(([name, { description }]) => [
    statuses.get(`#/components/responses/${name}`) ?? '',
    description,
  ]);
  return table(['Status', 'When'], rows);
}

function schemaOf(content: Content): Schema | undefined {
  return content['application/json']?.schema;
}

function describeSchema(schema: Schema, side: Side): string {
  if (schema.$ref !== undefined) return `${typeName(schema)}.`;
  if (schema.oneOf !== undefined) return `${typeName(schema)}.`;
  const rows = fields(schema, '', side);
  return rows.length === 0 ? `${typeName(schema)}.` : table(['Field', 'Type', 'Notes'], rows);
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
  const values = schema.additionalProperties;
  if (typeof values === 'object' && Object.keys(values).length > 0) return `map of ${typeName(values)}`;
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
    inner.minimum === undefined ? '' : `at least ${inner.minimum}`,
    inner.maximum === undefined || inner.maximum === Number.MAX_SAFE_INTEGER ? '' : `at most ${inner.maximum}`,
    inner.minItems === undefined ? '' : `at least ${inner.minItems}`,
    inner.maxItems === undefined ? '' : `at most ${inner.maxItems}`,
    inner.minLength === undefined ? '' : `at least ${count(inner.minLength, 'character')}`,
    inner.maxLength === undefined ? '' : `at most ${count(inner.maxLength, 'character')}`,
  ];
  const preset = inner.default === undefined || side === 'answer' ? '' : `default \`${JSON.stringify(inner.default)}\``;
  const description = schema.description ?? inner.description ?? '';
  return [present, description, ...bounds, preset].filter((text) => text !== '').join('; ');
}

const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main) {
  writeFileSync(REFERENCE, apiReference(readFileSync(REFERENCE, 'utf8'), readFileSync(DOCUMENT, 'utf8')));
}
