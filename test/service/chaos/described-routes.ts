import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The part of JSON Schema that docs/openapi.json uses. */
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
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
};

/** A route of docs/openapi.json. */
export type Route = {
  readonly operation: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly queryNames: readonly string[];
  /** Undefined for a route without a body. */
  readonly body: Schema | undefined;
};

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};

type Components = { readonly schemas: Readonly<Record<string, Schema>> };

const document = readFileSync(fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url)), 'utf8');
const { paths, components }: { paths: Record<string, Record<string, Operation>>; components: Components } =
  JSON.parse(document);

/** Returns a schema with the schemas to which it refers in their places. */
function resolved(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, node: unknown) => {
    const { $ref } = Object(node);
    if (typeof $ref !== 'string') return node;
    const target = components.schemas[$ref.split('/').at(-1) ?? ''];
    if (target === undefined) throw new Error(`The document has no schema ${$ref}`);
    return resolved(target);
  });
}

export const ROUTES: readonly Route[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { operationId, parameters = [], requestBody }]) => ({
    operation: operationId,
    method: method.toUpperCase(),
    path,
    queryNames: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    body: requestBody && resolved(requestBody.content['application/json'].schema),
  })),
);

/** The schemas of all properties in the document, by name. An attacker can read them there. */
export const PROPERTIES: ReadonlyMap<string, Schema> = properties();
export const FIELD_NAMES: readonly string[] = [...PROPERTIES.keys()];

function properties(): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>();
  JSON.parse(document, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('properties' in value)) return value;
    for (const [name, schema] of Object.entries(Object(value.properties))) found.set(name, Object(schema));
    return value;
  });
  return found;
}
