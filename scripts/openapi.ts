import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { formField } from '../src/contract/actions.ts';
import {
  actionView,
  assistantView,
  DASHBOARD_ANSWERS,
  DASHBOARD_BODIES,
  DASHBOARD_QUERIES,
  dashboardError,
  staleAnswer,
} from '../src/contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  DASHBOARD_SCOPE,
  type DashboardOperation,
} from '../src/contract/dashboard-operations.ts';
import { REFUSALS, type RefusalCode } from '../src/contract/errors.ts';
import { formSubmitRequest, initRequest } from '../src/contract/widget.ts';
import { sessionRequest } from '../src/domain/auth/session-request.ts';

// Writes docs/openapi.json: every public route of the service, generated from the schemas with which the handlers parse.

type Json = Record<string, unknown>;

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);

const input = (schema: z.ZodType): Json =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
const output = (schema: z.ZodType): Json => withoutDialect(z.toJSONSchema(schema, { unrepresentable: 'any' }));
const content = (schema: Json): Json => ({ 'application/json': { schema } });
const withoutDialect = ({ $schema, ...schema }: Json): Json => schema;

const error = { $ref: '#/components/schemas/Error' };
const dashboardErrorSchema = { $ref: '#/components/schemas/DashboardError' };
/** Joins the messages of refusals as code, so that Markdown shows them literally. */
const messages = (...codes: readonly RefusalCode[]) => codes.map((code) => `\`${REFUSALS[code].message}\``).join('; ');
const refused = (description: string) => ({ description, content: content(error) });
const refusedToDashboard = (description: string) => ({ description, content: content(dashboardErrorSchema) });
const header = (name: string, description: string, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});
const pathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const body = (schema: z.ZodType): Json => ({ required: false, content: content(input(schema)) });
const answer = (description: string, schema: z.ZodType): Json => ({ description, content: content(output(schema)) });

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

const widgetCredentials = [
  header('X-Site-Id', 'Site ID (Allowed Websites)'),
  header('X-Session-Token', 'Session token; takes precedence over X-Site-Id'),
  header('Origin', 'Set by the browser; Referer is the fallback'),
];

const sessionCreated = z.object({
  success: z.literal(true),
  session_token: z.string(),
  site_id: z.string(),
  expires_at: z.string().describe('ISO 8601 with UTC offset'),
  expires_in_seconds: z.int(),
});
const initialized = z.object({
  success: z.literal(true),
  site_id: z.string(),
  session_id: z.string(),
  visitor_id: z.string(),
  conversation_id: z.string(),
  forms: z.array(z.object({ slug: z.string(), name: z.string(), fields: z.array(formField) })),
});
const submitted = z.object({ success: z.literal(true), submission_id: z.string() });

const publicPaths: Json = {
  '/api/widget/session/create': {
    post: {
      operationId: 'createSession',
      tags: ['customer backend'],
      summary: 'Mints a session token. At most 20 requests per minute and IP address.',
      parameters: [header('X-Server-Key', 'Server secret, starts with ss_', true)],
      requestBody: body(sessionRequest),
      responses: {
        200: answer('The token', sessionCreated),
        400: refused('The message names the field'),
        401: refused(messages('server_key_required', 'server_key_malformed', 'server_key_invalid')),
        429: refused(`${messages('rate_limit_exceeded')}; see Retry-After`),
      },
    },
  },
  '/api/widget/init': {
    post: {
      operationId: 'initWidget',
      tags: ['widget'],
      summary: 'Authenticates the widget; resumes its conversation, or starts one on request',
      parameters: widgetCredentials,
      requestBody: body(initRequest),
      responses: {
        200: answer('The widget may render', initialized),
        400: refused('The message names the field'),
        401: refused(
          messages(
            'origin_not_allowed',
            'no_allowed_domains',
            'origin_required',
            'session_token_required',
            'site_disabled',
            'session_token_invalid',
            'site_not_found',
            'credentials_required',
          ),
        ),
        403: refused(messages('ip_not_allowed')),
        429: refused(messages('rate_limit_exceeded')),
      },
    },
  },
  '/api/widgets/sites/{site_id}/forms/{slug}/submit': {
    post: {
      operationId: 'submitForm',
      tags: ['widget'],
      summary: 'Submits a form panel. At most 10 submissions per minute.',
      parameters: [pathParameter('site_id'), pathParameter('slug'), ...widgetCredentials],
      requestBody: body(formSubmitRequest),
      responses: {
        200: answer('The endpoint or an escalation channel accepted it', submitted),
        400: refused('The message names the field'),
        401: refused('As widget init'),
        403: refused(messages('ip_not_allowed', 'site_mismatch')),
        404: refused(messages('form_not_found')),
        409: refused(messages('submission_in_progress')),
        429: refused(messages('rate_limit_exceeded')),
        502: refused(messages('submission_failed')),
      },
    },
  },
};

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
      [status]: answer('Done', DASHBOARD_ANSWERS[name]),
      ...(requestBody === undefined && query.length === 0
        ? {}
        : { 400: refusedToDashboard('The message names the field') }),
      401: { description: 'The access token is missing or invalid, or belongs to another client' },
      403: refusedToDashboard('The token lacks the scope, or the user lacks the role'),
      ...(ids.length === 0
        ? {}
        : { 404: refusedToDashboard('It does not exist, or it belongs to another organization') }),
      ...(writes
        ? {
            409: {
              description: 'The version is stale, the name is in use, or a limit is reached',
              content: content({ anyOf: [dashboardErrorSchema, output(staleAnswer)] }),
            },
          }
        : {}),
      ...(name === 'testAction'
        ? {
            409: refusedToDashboard('The organization is suspended'),
            429: refusedToDashboard(`${messages('rate_limit_exceeded')}; see Retry-After`),
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
        Error: {
          type: 'object',
          properties: { success: { const: false }, error: { type: 'string' } },
          required: ['success', 'error'],
        },
        DashboardError: output(dashboardError),
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
