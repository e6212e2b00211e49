import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { DASHBOARD_SCHEMAS, staleAnswer } from '../src/contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATION_NAMES,
  DASHBOARD_OPERATIONS,
  DASHBOARD_SCOPE,
  type DashboardOperation,
  type Operation,
} from '../src/contract/dashboard-operations.ts';
import { errorResponse, INTERNAL_ERROR, REFUSALS, type RefusalCode } from '../src/contract/errors.ts';
import { REQUEST_BODY_MAX_BYTES } from '../src/contract/limits.ts';
import { ACTION_HEADERS, SIGNATURE_HEADER, USAGE_HEADERS } from '../src/contract/outbound-headers.ts';
import { CREDENTIAL_HEADERS, PUBLIC_OPERATIONS, type PublicOperation } from '../src/contract/public-operations.ts';
import { envelope } from '../src/contract/queues.ts';
import { identifier } from '../src/contract/widget.ts';

// Writes docs/openapi.json: every route of the service, generated from the schemas with which the handlers parse: `node scripts/openapi.ts`.

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);

/** Takes out rules that say nothing, and those at which a client would fail when a later version has more. */
const withoutNeedlessRules: NonNullable<CreateDocumentOptions['override']> = ({ zodSchema, jsonSchema, io }) => {
  // The pattern of a format has some hundred characters, and says no more than its name.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (zodSchema === errorResponse.shape.code) {
    // A client that accepts only these would fail at a code of a later version.
    jsonSchema['x-extensible-enum'] = jsonSchema.enum;
    delete jsonSchema.enum;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // An answer of a later version may have more fields.
  if (io === 'output') delete jsonSchema.additionalProperties;
};

const gatewayError = z
  .object({ message: z.string() })
  .meta({ id: 'GatewayError', description: 'Body of an error that API Gateway answers itself' });

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
const answer = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  content: json(schema),
});
const refusalAnswer = (description: string) => answer(description, errorResponse);
const refusalByEither = (description: string) => answer(description, z.union([errorResponse, gatewayError]));
const refusalByGateway = (description: string) => answer(`API Gateway: ${description}`, gatewayError);
/** Joins the messages of refusals as code, so that Markdown shows them literally. */
const messages = (...codes: readonly RefusalCode[]) => codes.map((code) => `\`${REFUSALS[code].message}\``).join('; ');

const TOO_LARGE = {
  id: 'TooLarge',
  ...refusalByEither(
    `${messages('body_too_large')}: more than ${REQUEST_BODY_MAX_BYTES / 1024} KB. API Gateway refuses several MB itself`,
  ),
};
/** The answers that every operation can give. API Gateway gives some without a function; their bodies cannot be changed. */
const OF_EVERY_OPERATION = {
  429: {
    id: 'TooManyRequests',
    ...refusalByEither(
      `${messages('rate_limit_exceeded')}; see Retry-After. API Gateway answers without it when all callers together exceed its throttle`,
    ),
    headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' as const, minimum: 1 } } },
  },
  431: {
    id: 'HeadersTooLarge',
    ...refusalByGateway('the request line and the headers have more than 10 240 bytes together'),
  },
  500: {
    id: 'Failed',
    ...refusalByEither(`\`${INTERNAL_ERROR.message}\`; the operator finds the cause by X-Request-Id`),
    headers: { 'X-Request-Id': { description: 'Id of the request', schema: { type: 'string' as const } } },
  },
  503: { id: 'Unavailable', ...refusalByGateway('the function did not answer in time, or has no capacity') },
};

/** Describes the refusals by status. Those codes whose actual message names a field have no message here. */
function refusalsByStatus(codes: readonly RefusalCode[]): ZodOpenApiOperationObject['responses'] {
  const unspecific: readonly RefusalCode[] = ['invalid_request', 'value_required'];
  const byStatus = Map.groupBy(codes, (code) => REFUSALS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const said = messages(...found.filter((code) => !unspecific.includes(code)));
      return [status, refusalAnswer(status === 400 ? `${said}; otherwise the message names the field` : said)];
    }),
  );
}

const CREDENTIALS = {
  [CREDENTIAL_HEADERS.siteId]: { scheme: 'site', description: 'Site ID, public (Allowed Websites)' },
  [CREDENTIAL_HEADERS.sessionToken]: {
    scheme: 'session',
    description: 'Session token; takes precedence over the site ID',
  },
  [CREDENTIAL_HEADERS.serverKey]: {
    scheme: 'server',
    description: "Server secret: starts with `ss_`, and stays on the customer's server",
  },
};

type Parameters = Readonly<Record<string, { readonly schema: z.ZodType; readonly description?: string }>>;

/** Returns parameters with their descriptions. Those of a path are required. */
const parameters = (byName: Parameters, required: boolean) =>
  z.object(
    Object.fromEntries(
      Object.entries(byName).map(([name, { schema, description }]) => {
        const param = required ? schema : schema.optional();
        return [name, description === undefined ? param : param.meta({ param: { description } })];
      }),
    ),
  );

function publicOperation(
  name: string,
  operation: (typeof PUBLIC_OPERATIONS)[PublicOperation],
): ZodOpenApiOperationObject {
  const { caller, summary, description, credentials, browserHeaders, body } = operation;
  const headers = browserHeaders.map((header) => [header, { schema: z.string(), description: 'Set by the browser' }]);
  return {
    operationId: name,
    tags: [caller],
    summary,
    description,
    security: credentials.map((header) => ({ [CREDENTIALS[header].scheme]: [] })),
    requestParams: {
      path: parameters(operation.pathParameters, true),
      query: parameters(operation.query, false),
      header: parameters(Object.fromEntries(headers), false),
    },
    requestBody: { required: !body.safeParse({}).success, content: json(body) },
    responses: {
      200: answer(operation.answerMeaning, operation.answer),
      ...refusalsByStatus(operation.refusals),
      413: TOO_LARGE,
      ...OF_EVERY_OPERATION,
    },
  };
}

const ALLOWED = { user: 'every user who is logged in', member: 'members', admin: 'admins' } as const;

function dashboardOperation(name: DashboardOperation): ZodOpenApiOperationObject {
  const { method, path, role, status = 200, summary }: Operation = DASHBOARD_OPERATIONS[name];
  const { body, query, ...schemas }: { body?: z.ZodType; query?: z.ZodObject; answer: z.ZodType } =
    DASHBOARD_SCHEMAS[name];
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => [id, { schema: identifier }] as const);
  const writes = method !== 'GET' && role === 'admin' && name !== 'testAction';
  const stale = 'The version is stale, the name is in use, or a limit is reached';
  return {
    operationId: name,
    tags: ['dashboard'],
    summary,
    description: `Allowed for ${ALLOWED[role]}.`,
    security: [{ login: [] }],
    requestParams: { path: parameters(Object.fromEntries(ids), true), ...(query && { query }) },
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: answer('Done', schemas.answer),
      ...(body || query ? { 400: refusalAnswer('The message names the field') } : {}),
      401: refusalByGateway('the access token is missing or invalid, or belongs to another client'),
      403: refusalByEither('The user lacks the role. API Gateway: the access token lacks the scope'),
      ...(ids.length > 0 ? { 404: refusalAnswer('It does not exist, or it belongs to another organization') } : {}),
      ...(writes ? { 409: answer(stale, z.union([staleAnswer, errorResponse])) } : {}),
      ...(name === 'testAction' ? { 409: refusalAnswer('The organization is suspended') } : {}),
      ...(body && { 413: TOO_LARGE }),
      ...OF_EVERY_OPERATION,
    },
  };
}

function allPaths(): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  const add = (path: string, method: string, operation: ZodOpenApiOperationObject) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const [name, one] of Object.entries(PUBLIC_OPERATIONS)) add(one.path, one.method, publicOperation(name, one));
  for (const name of DASHBOARD_OPERATION_NAMES) {
    const { path, method } = DASHBOARD_OPERATIONS[name];
    add(DASHBOARD_API_PATH + path, method, dashboardOperation(name));
  }
  return paths;
}
const count = z.int().min(0);
const formValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
/** Describes the headers of a table. An Action's signature covers none of the others. */
const parametersOf = (headers: typeof ACTION_HEADERS | typeof USAGE_HEADERS) =>
  z.object(
    Object.fromEntries(
      Object.entries(headers).map(([name, { schema, value }]) => {
        const isUnsigned = name in ACTION_HEADERS && name !== SIGNATURE_HEADER;
        return [name, schema.meta({ param: { description: isUnsigned ? `${value}; not signed` : value } })];
      }),
    ),
  );

/** Describes a request that the service sends to a customer's server, which answers it. docs/receiving.md says how it is verified. */
function webhook(
  operation: Pick<ZodOpenApiOperationObject, 'operationId' | 'summary' | 'description'>,
  header: z.ZodObject,
  body: z.ZodType,
  responses: ZodOpenApiOperationObject['responses'],
): ZodOpenApiPathsObject[string] {
  return {
    post: {
      ...operation,
      tags: ['outbound'],
      security: [],
      requestParams: { header },
      requestBody: { required: true, content: json(body) },
      responses,
    },
  };
}

const description = 'An Action has the method of its settings. With GET it has no body.';
const ACCEPTED = { '2XX': { description: 'Accepted' } };
const NOT_REPEATED = { default: { description: 'A failure; the request is not sent again' } };
const REPEATED = { description: 'A failure, after which the event is sent again, at most twice' };

const WEBHOOKS: ZodOpenApiPathsObject = {
  event: webhook(
    { operationId: 'receiveEvent', summary: 'An event, for an Event Action', description },
    parametersOf(ACTION_HEADERS),
    envelope.meta({ id: 'EventEnvelope' }),
    { ...ACCEPTED, 408: REPEATED, 429: REPEATED, '5XX': REPEATED, default: { description: 'A permanent failure' } },
  ),
  toolCall: webhook(
    { operationId: 'receiveToolCall', summary: 'A call of the assistant, with its arguments', description },
    parametersOf(ACTION_HEADERS),
    z.record(z.string(), z.unknown()),
    { '2XX': answer('Accepted; read only when the Action feeds its response back', z.unknown()), ...NOT_REPEATED },
  ),
  form: webhook(
    { operationId: 'receiveForm', summary: 'A submission, for a Form Action', description },
    parametersOf(ACTION_HEADERS),
    z.object({ values: z.record(z.string(), formValue), conversation_id: z.string(), submission_id: z.uuid() }),
    { ...ACCEPTED, ...NOT_REPEATED },
  ),
  usage: webhook(
    { operationId: 'receiveUsage', summary: 'The usage of one turn, for the usage webhook of a session' },
    parametersOf(USAGE_HEADERS),
    z.object({
      session_id: z.string(),
      user_id: z.string(),
      site_id: z.string(),
      usage: z.object({
        input_tokens: count,
        output_tokens: count,
        total_tokens: count,
        tts_chars: count,
        tts_provider: z.string().nullable(),
      }),
      timestamp: z.int(),
      nonce: z.uuid(),
    }),
    {
      200: answer('`false` stops the conversation', z.object({ should_continue: z.boolean().optional() })),
      default: { description: 'The conversation continues, and the report is not sent again' },
    },
  ),
};

export function openApiDocument(): string {
  const schemes = Object.entries(CREDENTIALS).map(([name, { scheme, description }]) => [
    scheme,
    { type: 'apiKey', in: 'header', name, description },
  ]);
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'va-wave',
        version: '1',
        description:
          'The routes of the widget, of session create and of the dashboard, and as webhooks the requests to customers. docs/open-points.md lists what the specification leaves open and may change.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        contact: { name: 'The operator of the service' },
      },
      servers: [
        {
          url: '{base_url}',
          variables: { base_url: { default: 'https://example.com', description: 'The distribution' } },
        },
      ],
      tags: [
        { name: 'customer backend', description: 'Called by the server of a customer' },
        { name: 'widget', description: 'Called by the widget in a page' },
        { name: 'outbound', description: 'Sent by the service to the servers of customers' },
        { name: 'dashboard', description: 'Called by the dashboard, and open in the specification' },
      ],
      paths: allPaths(),
      webhooks: WEBHOOKS,
      components: {
        securitySchemes: {
          ...Object.fromEntries(schemes),
          login: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: `Access token of the dashboard's login with the scope ${DASHBOARD_SCOPE}`,
          },
        },
      },
    },
    { override: withoutNeedlessRules },
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(DOCUMENT, openApiDocument());
