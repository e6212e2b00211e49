import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import {
  actionView,
  assistantView,
  DASHBOARD_ANSWERS,
  DASHBOARD_BODIES,
  DASHBOARD_QUERIES,
  staleAnswer,
} from '../src/contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  DASHBOARD_SCOPE,
  type DashboardOperation,
} from '../src/contract/dashboard-operations.ts';
import { errorResponse } from '../src/contract/error-response.ts';
import { REFUSALS, type RefusalCode } from '../src/contract/errors.ts';
import { CREDENTIAL_HEADERS } from '../src/contract/headers.ts';
import { PUBLIC_OPERATIONS, type PublicOperation } from '../src/contract/public-operations.ts';

// Writes docs/openapi.json: every public route of the service, generated from the schemas with which the handlers parse.

type Json = Record<string, unknown>;

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);

const input = (schema: z.ZodType): Json =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
const output = (schema: z.ZodType): Json => withoutDialect(z.toJSONSchema(schema, { unrepresentable: 'any' }));
const content = (schema: Json): Json => ({ 'application/json': { schema } });
const withoutDialect = ({ $schema, ...schema }: Json): Json => schema;

const error = { $ref: '#/components/schemas/Error' };
/** Joins the messages of refusals as code, so that Markdown shows them literally. */
const messages = (...codes: readonly RefusalCode[]) => codes.map((code) => `\`${REFUSALS[code].message}\``).join('; ');
const refused = (description: string) => ({ description, content: content(error) });
const header = (name: string, description: string, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});
const pathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const answerOf = (description: string, schema: z.ZodType): Json => ({ description, content: content(output(schema)) });

/** Schemas that occur in the answers of several operations. The document defines each once and refers to it. */
const SHARED = { Assistant: output(assistantView), Action: output(actionView) };

function withReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withReferences);
  if (typeof node !== 'object' || node === null) return node;
  const text = JSON.stringify(node);
  const shared = Object.entries(SHARED).find(([, schema]) => JSON.stringify(schema) === text);
  if (shared !== undefined) return { $ref: `#/components/schemas/${shared[0]}` };
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withReferences(value)]));
}

/** What the description of each status says besides its messages. */
const STATUS_NOTES: Readonly<Record<number, string>> = { 400: 'the message names the field', 429: 'see Retry-After' };

function refusalsByStatus(codes: readonly RefusalCode[]): Json {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of codes) {
    const { status } = REFUSALS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const describe = (status: number, found: readonly RefusalCode[]) =>
    [messages(...found.filter((code) => code !== 'invalid_request')), STATUS_NOTES[status]]
      .filter((text) => text !== undefined)
      .join('; ');
  return Object.fromEntries([...byStatus].map(([status, found]) => [status, refused(describe(status, found))]));
}

const CREDENTIALS = {
  [CREDENTIAL_HEADERS.siteId]: 'Site ID (Allowed Websites)',
  [CREDENTIAL_HEADERS.sessionToken]: 'Session token; takes precedence over X-Site-Id',
  [CREDENTIAL_HEADERS.serverKey]: 'Server secret, starts with ss_',
};

function publicOperation(name: PublicOperation): Json {
  const { caller, summary, credentials, browserHeaders, pathParameters, query, body, answer, answered, refusals } =
    PUBLIC_OPERATIONS[name];
  return {
    operationId: name,
    tags: [caller],
    summary,
    parameters: [
      ...Object.keys(pathParameters).map(pathParameter),
      ...Object.entries<{ readonly description: string }>(query).map(([parameter, { description }]) => ({
        name: parameter,
        in: 'query',
        required: false,
        description,
        schema: { type: 'string' },
      })),
      ...credentials.map((header_) => header(header_, CREDENTIALS[header_], credentials.length === 1)),
      ...browserHeaders.map((header_) => header(header_, 'Set by the browser')),
    ],
    requestBody: { required: false, content: content(input(body)) },
    responses: { 200: answerOf(answered, answer), ...refusalsByStatus(refusals) },
  };
}

const publicPaths: Json = Object.fromEntries(
  Object.keys(PUBLIC_OPERATIONS)
    .filter((name) => isPublicOperation(name))
    .map((name) => {
      const { path, method } = PUBLIC_OPERATIONS[name];
      return [path, { [method.toLowerCase()]: publicOperation(name) }];
    }),
);

function isPublicOperation(name: string): name is PublicOperation {
  return name in PUBLIC_OPERATIONS;
}

function dashboardOperation(name: DashboardOperation): Json {
  const { method, path, role, status, summary } = DASHBOARD_OPERATIONS[name];
  const bodies: Partial<Record<DashboardOperation, z.ZodType>> = DASHBOARD_BODIES;
  const queries: Partial<Record<DashboardOperation, z.ZodObject>> = DASHBOARD_QUERIES;
  const requestBody = bodies[name];
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => pathParameter(id));
  const query = Object.entries(queries[name]?.shape ?? {}).map(([parameter, schema]) => ({
    name: parameter,
    in: 'query',
    required: true,
    schema: output(z.object({ value: schema }).shape.value),
  }));
  const writes = method !== 'GET' && role === 'admin' && name !== 'testAction';
  return {
    operationId: name,
    tags: ['dashboard'],
    summary,
    description: `Allowed for ${role === 'user' ? 'every user who is logged in' : role === 'admin' ? 'admins' : 'members'}.`,
    security: [{ login: [DASHBOARD_SCOPE] }],
    parameters: [...ids, ...query],
    ...(requestBody === undefined ? {} : { requestBody: { required: true, content: content(input(requestBody)) } }),
    responses: {
      [status]: answerOf('Done', DASHBOARD_ANSWERS[name]),
      ...(requestBody === undefined && query.length === 0 ? {} : { 400: refused('The message names the field') }),
      401: { description: 'The access token is missing or invalid, or belongs to another client' },
      403: refused('The token lacks the scope, or the user lacks the role'),
      ...(ids.length === 0 ? {} : { 404: refused('It does not exist, or it belongs to another organization') }),
      ...(writes
        ? {
            409: {
              description: 'The version is stale, the name is in use, or a limit is reached',
              content: content({ anyOf: [error, output(staleAnswer)] }),
            },
          }
        : {}),
      ...(name === 'testAction'
        ? {
            409: refused('The organization is suspended'),
            429: refused(`${messages('rate_limit_exceeded')}; see Retry-After`),
          }
        : {}),
    },
  };
}

function dashboardPaths(): Json {
  const paths: Record<string, Json> = {};
  for (const name of Object.keys(DASHBOARD_OPERATIONS).filter(isOperation)) {
    const { method, path } = DASHBOARD_OPERATIONS[name];
    const full = DASHBOARD_API_PATH + path;
    paths[full] = { ...paths[full], [method.toLowerCase()]: dashboardOperation(name) };
  }
  return paths;
}

function isOperation(name: string): name is DashboardOperation {
  return name in DASHBOARD_OPERATIONS;
}

/** Returns the text of docs/openapi.json. */
export function openApiDocument(): string {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'va-wave',
      version: '1',
      description:
        'The routes of the widget, of session create and of the dashboard. docs/open-points.md lists what the specification leaves open and may change.',
    },
    servers: [{ url: '{base_url}', variables: { base_url: { default: 'https://example.com' } } }],
    paths: withReferences({ ...publicPaths, ...dashboardPaths() }),
    components: {
      schemas: {
        ...SHARED,
        Error: output(errorResponse),
      },
      securitySchemes: {
        login: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `Access token with the scope ${DASHBOARD_SCOPE}`,
        },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(DOCUMENT, openApiDocument());
