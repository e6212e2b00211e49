import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { DASHBOARD_IDS, DASHBOARD_SCHEMAS, staleAnswer } from '../src/contract/dashboard.ts';
import {
  DASHBOARD_API_PATH,
  DASHBOARD_OPERATIONS,
  DASHBOARD_SCOPE,
  type DashboardOperation,
} from '../src/contract/dashboard-operations.ts';
import { errorResponse } from '../src/contract/error-response.ts';
import { INTERNAL_ERROR, REFUSALS, type RefusalCode } from '../src/contract/errors.ts';
import { CREDENTIAL_HEADERS } from '../src/contract/headers.ts';
import { REQUEST_BODY_MAX_BYTES } from '../src/contract/limits.ts';
import { PUBLIC_OPERATIONS, type PublicOperation } from '../src/contract/public-operations.ts';

// Writes docs/openapi.json: every public route of the service, generated from the schemas with which the handlers parse.

type Json = Record<string, unknown>;

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url);

/** The schemas that have an id, by this id. Every other schema refers to them. */
const named: Record<string, unknown> = {};

/** Returns the JSON Schema of a body, and keeps those of its parts that have an id. @param io side of the service: it reads an input and writes an output */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const document = z.toJSONSchema(z.object({ value: schema }), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'union' && 'discriminator' in def)
        jsonSchema.discriminator = { propertyName: def.discriminator };
      // Their pattern has some hundred characters, and says no more than the format.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (zodSchema === errorResponse.shape.code) {
        // A client that accepts only these would fail at a code of a later version.
        jsonSchema['x-extensible-enum'] = jsonSchema.enum;
        delete jsonSchema.enum;
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // An answer of a later version may have more fields.
      if (io === 'output') delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  });
  const { properties, $defs = {} } = JSON.parse(
    JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
  for (const [id, definition] of Object.entries($defs)) {
    const known = named[id] ?? definition;
    if (JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`Two schemas have the id ${id}`);
    named[id] = known;
  }
  return properties.value;
}

const reference = (kind: 'schemas' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });
const content = (schema: unknown): Json => ({ 'application/json': { schema } });
const bodyOf = (schema: z.ZodType) => content(schemaOf(schema, 'input'));
const answerOf = (description: string, schema: z.ZodType): Json => ({
  description,
  content: content(schemaOf(schema, 'output')),
});

const error = schemaOf(errorResponse, 'output');
const gatewayError = reference('schemas', 'GatewayError');
const refused = (description: string): Json => ({ description, content: content(error) });
const refusedByEither = (description: string): Json => ({
  description,
  content: content({ anyOf: [error, gatewayError] }),
});
/** Joins the messages of refusals as code, so that Markdown shows them literally. */
const messages = (...codes: readonly RefusalCode[]) => codes.map((code) => `\`${REFUSALS[code].message}\``).join('; ');

/** The answers that every operation can give. API Gateway gives some without a function; their bodies cannot be changed. */
const RESPONSES = {
  TooLarge: refusedByEither(
    `${messages('body_too_large')}: more than ${REQUEST_BODY_MAX_BYTES / 1024} KB. API Gateway refuses several MB itself`,
  ),
  TooManyRequests: {
    ...refusedByEither(
      `${messages('rate_limit_exceeded')}; see Retry-After. API Gateway answers without it when all callers together exceed its throttle`,
    ),
    headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } },
  },
  HeadersTooLarge: {
    description: 'API Gateway: the request line and the headers have more than 10 240 bytes together',
    content: content(gatewayError),
  },
  Failed: {
    ...refusedByEither(`\`${INTERNAL_ERROR.message}\`; the operator finds the cause by X-Request-Id`),
    headers: { 'X-Request-Id': { description: 'Id of the request', schema: { type: 'string' } } },
  },
  Unavailable: {
    description: 'API Gateway: the function did not answer in time, or has no capacity',
    content: content(gatewayError),
  },
};
const response = (name: keyof typeof RESPONSES) => reference('responses', name);
const ofEveryOperation = (hasBody: boolean): Json => ({
  ...(hasBody ? { 413: response('TooLarge') } : {}),
  429: response('TooManyRequests'),
  431: response('HeadersTooLarge'),
  500: response('Failed'),
  503: response('Unavailable'),
});

const parameter = (place: string, name: string, schema: z.ZodType, more: Json = {}): Json => ({
  name,
  in: place,
  required: place === 'path',
  ...more,
  schema: schemaOf(schema, 'input'),
});

/** Describes the refusals by status. The message of a code with a more specific actual message is not among them. */
function refusalsByStatus(codes: readonly RefusalCode[]): Json {
  const unspecific: readonly RefusalCode[] = ['invalid_request', 'value_required'];
  const byStatus = Map.groupBy(codes, (code) => REFUSALS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const said = messages(...found.filter((code) => !unspecific.includes(code)));
      return [status, refused(status === 400 ? `${said}; otherwise the message names the field` : said)];
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

function publicOperation(name: PublicOperation): Json {
  const {
    caller,
    summary,
    description,
    credentials,
    browserHeaders,
    pathParameters,
    query,
    body,
    answer,
    answered,
    refusals,
  } = PUBLIC_OPERATIONS[name];
  return {
    operationId: name,
    tags: [caller],
    summary,
    description,
    security: credentials.map((header) => ({ [CREDENTIALS[header].scheme]: [] })),
    parameters: [
      ...Object.entries<{ readonly schema: z.ZodType }>(pathParameters).map(([id, { schema }]) =>
        parameter('path', id, schema),
      ),
      ...Object.entries<{ readonly schema: z.ZodType; readonly description: string }>(query).map(
        ([id, { schema, ...notes }]) => parameter('query', id, schema, notes),
      ),
      ...browserHeaders.map((header) => parameter('header', header, z.string(), { description: 'Set by the browser' })),
    ],
    requestBody: { required: !body.safeParse({}).success, content: bodyOf(body) },
    responses: { 200: answerOf(answered, answer), ...refusalsByStatus(refusals), ...ofEveryOperation(true) },
  };
}

function dashboardOperation(name: DashboardOperation): Json {
  const { method, path, role, status, summary } = DASHBOARD_OPERATIONS[name];
  const schemas: { readonly body?: z.ZodType; readonly query?: z.ZodObject; readonly answer: z.ZodType } =
    DASHBOARD_SCHEMAS[name];
  const { body, answer } = schemas;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => parameter('path', id, DASHBOARD_IDS));
  const query = Object.entries<z.ZodType>(schemas.query?.shape ?? {}).map(([id, schema]) => ({
    ...parameter('query', id, schema, { required: !schema.safeParse(undefined).success }),
    schema: schemaOf(schema, 'output'),
  }));
  const writes = method !== 'GET' && role === 'admin' && name !== 'testAction';
  return {
    operationId: name,
    tags: ['dashboard'],
    summary,
    description: `Allowed for ${role === 'user' ? 'every user who is logged in' : role === 'admin' ? 'admins' : 'members'}.`,
    security: [{ login: [] }],
    parameters: [...ids, ...query],
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyOf(body) } }),
    responses: {
      [status]: answerOf('Done', answer),
      ...(body === undefined && query.length === 0 ? {} : { 400: refused('The message names the field') }),
      401: {
        description: 'API Gateway: the access token is missing or invalid, or belongs to another client',
        content: content(gatewayError),
      },
      403: refusedByEither('The user lacks the role. API Gateway: the access token lacks the scope'),
      ...(ids.length === 0 ? {} : { 404: refused('It does not exist, or it belongs to another organization') }),
      ...(writes
        ? {
            409: {
              description: 'The version is stale, the name is in use, or a limit is reached',
              content: content({ anyOf: [schemaOf(staleAnswer, 'output'), error] }),
            },
          }
        : {}),
      ...(name === 'testAction' ? { 409: refused('The organization is suspended') } : {}),
      ...ofEveryOperation(body !== undefined),
    },
  };
}

const isPublicOperation = (name: string): name is PublicOperation => name in PUBLIC_OPERATIONS;
const isDashboardOperation = (name: string): name is DashboardOperation => name in DASHBOARD_OPERATIONS;

function allPaths(): Json {
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const name of Object.keys(PUBLIC_OPERATIONS).filter(isPublicOperation)) {
    const { path, method } = PUBLIC_OPERATIONS[name];
    add(path, method, publicOperation(name));
  }
  for (const name of Object.keys(DASHBOARD_OPERATIONS).filter(isDashboardOperation)) {
    const { path, method } = DASHBOARD_OPERATIONS[name];
    add(DASHBOARD_API_PATH + path, method, dashboardOperation(name));
  }
  return paths;
}

/** Returns the branch for each value of the property that tells the branches apart. */
function mappingOf(propertyName: string, branches: readonly { readonly $ref: string }[]): Json {
  return Object.fromEntries(
    branches.map(({ $ref }) => {
      const branch = Object(named[$ref.split('/').at(-1) ?? '']);
      return [branch.properties[propertyName].const, $ref];
    }),
  );
}

/** Returns the text of docs/openapi.json. */
export function openApiDocument(): string {
  const paths = allPaths();
  for (const { discriminator, oneOf } of Object.values(named).map(Object)) {
    if (discriminator !== undefined) discriminator.mapping = mappingOf(discriminator.propertyName, oneOf);
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'va-wave',
      version: '1',
      description:
        'The routes of the widget, of session create and of the dashboard. docs/open-points.md lists what the specification leaves open and may change.',
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
      { name: 'dashboard', description: 'Called by the dashboard, and open in the specification' },
    ],
    paths,
    components: {
      schemas: {
        ...named,
        GatewayError: {
          type: 'object',
          description: 'Body of an error that API Gateway answers itself',
          properties: { message: { type: 'string' } },
          required: ['message'],
        },
      },
      responses: RESPONSES,
      securitySchemes: {
        ...Object.fromEntries(
          Object.entries(CREDENTIALS).map(([name, { scheme, description }]) => [
            scheme,
            { type: 'apiKey', in: 'header', name, description },
          ]),
        ),
        login: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `Access token of the dashboard's login with the scope ${DASHBOARD_SCOPE}`,
        },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(DOCUMENT, openApiDocument());
