import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Authorizer } from '../access/authorizer.ts';
import { ACCOUNT, arnOf } from '../account.ts';
import { CloudError, required } from '../cloud-error.ts';
import { EVENT_MAX_BYTES, type LambdaFunction } from '../functions/lambda-function.ts';
import { isObject, type Json, type JsonRecord } from '../json.ts';
import { type HttpAnswer, jsonMessage, type ListenerRequest } from '../listener.ts';
import type { Route } from '../template/stack.ts';
import { jwtAuthorizer } from './jwt-authorizer.ts';

/** Limits of an HTTP API. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;

export type Responder = (request: ListenerRequest) => Promise<HttpAnswer>;

/** Answers as the HTTP API of the template, in payload format 2.0. @throws CloudError when a route has no function */
export function httpApi(
  apiId: string,
  routes: readonly Route[],
  functions: readonly LambdaFunction[],
  authorizer: Authorizer,
): Responder {
  const match = routesOf(
    routes.map((route) => {
      const fn = functions.find((known) => known.isCalled(route.functionArn));
      return {
        key: route.key,
        fn: required(fn, `The route ${route.key} leads to a function that is not in the stack`),
        checkToken: route.authorizer && jwtAuthorizer(route.authorizer),
      };
    }),
  );
  return async (request) => {
    const { method, headers, body } = request;
    // Each header has 4 bytes besides name and value: the colon, the space and the end of the line.
    const headerBytes = Object.entries(headers).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')) + 4, 0);
    if (headerBytes > MAX_HEADER_BYTES) return jsonMessage(431, 'Request Header Fields Too Large');
    if (body.length > MAX_BODY_BYTES) return jsonMessage(413, 'Request Entity Too Large');
    const [encodedPath = '/', ...query] = request.path.split('?');
    // An encoded question mark ends the path, too.
    const path = decodedText(encodedPath)?.replace(/\?.*$/s, '');
    if (path === undefined) return jsonMessage(400, 'Bad Request');
    const routeMatch = match(method, path);
    if (routeMatch === undefined) return jsonMessage(404, 'Not Found');
    const { key: routeKey, fn, checkToken } = routeMatch.route;
    const tokenCheck = await checkToken?.(headers.authorization);
    if (tokenCheck !== undefined && 'refusal' in tokenCheck) return tokenCheck.refusal;
    // In the ARN of a route, its method comes before its path; `ANY` stands for every method.
    const sourceArn = arnOf('execute-api', `${apiId}/$default/${routeKey.replace(' ', '')}`);
    const denial = authorizer.check(
      { kind: 'service', service: 'apigateway.amazonaws.com', sourceArn },
      { action: 'lambda:InvokeFunction', resource: fn.definition.arn },
    );
    if (denial !== undefined) return jsonMessage(500, 'Internal Server Error');
    const { parameters: pathParameters } = routeMatch;
    const requestRoute = { apiId, routeKey, pathParameters, path, rawQueryString: query.join('?') };
    const event = JSON.stringify(eventOf(request, { ...requestRoute, authorizer: tokenCheck?.authorizer }));
    if (Buffer.byteLength(event) > EVENT_MAX_BYTES) return jsonMessage(413, 'Request Entity Too Large');
    const { hasFailed, payload } = await fn.invoke(event);
    return hasFailed ? jsonMessage(500, 'Internal Server Error') : answerOf(payload);
  };
}

export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns what finds the most specific route of an HTTP API: fixed segments before `{one}` before `{all+}`, then the method before ANY,
 * then `$default`. Keys are such as `POST /a/{id}`, `ANY /b/{proxy+}`; the path is decoded and has no query string.
 * @throws CloudError when a key is not one of an HTTP API
 */
export function routesOf<Keyed extends { readonly key: string }>(routes: readonly Keyed[]) {
  const rankedRoutes = routes
    .map((route) => ({ route, ...parsedKey(route.key) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return (method: string, path: string) => {
    for (const { route, matches } of rankedRoutes) {
      const found = matches.exec(`${method} ${path}`);
      if (found !== null) return { route, parameters: { ...found.groups } };
    }
    return undefined;
  };
}

/** A rank has one digit per segment and one for the method. Smaller is more specific. */
function parsedKey(key: string): { readonly matches: RegExp; readonly rank: string } {
  if (key === '$default') return { matches: /^/, rank: '9' };
  const [, method = '', path = ''] = /^([A-Z]+) (\/.*)$/.exec(key) ?? [];
  if (method === '') throw new CloudError(`${key} is not the key of a route`);
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => {
      const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(segment) ?? [];
      if (name === undefined) return { rank: '1', pattern: segment.replaceAll(/[^\w-]/g, '\\$&') };
      return greedy === '+' ? { rank: '3', pattern: `(?<${name}>.*)` } : { rank: '2', pattern: `(?<${name}>[^/]+)` };
    });
  const pattern = segments.map((segment) => `/${segment.pattern}`).join('');
  const rank = segments.map((segment) => segment.rank).join('');
  const any = method === 'ANY';
  return { matches: new RegExp(`^${any ? '\\S+' : method} ${pattern}$`, 's'), rank: rank + (any ? '4' : '0') };
}

type RequestRoute = {
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Decoded, as HTTP APIs pass it to functions. */
  readonly path: string;
  readonly rawQueryString: string;
  /** Undefined on routes without one. */
  readonly authorizer: JsonRecord | undefined;
};

/** The event of payload format 2.0. */
function eventOf({ method, headers: all, body, client }: ListenerRequest, requestRoute: RequestRoute): object {
  const { apiId, routeKey, pathParameters, path, rawQueryString, authorizer } = requestRoute;
  const { cookie, ...headers } = all;
  const query = queryOf(rawQueryString);
  const text = isText(headers['content-type']) && isUtf8(body);
  const { host = '' } = headers;
  const sourceIp = client.address;
  const now = new Date();
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString,
    cookies: cookie?.split(/;\s*/),
    headers: {
      ...headers,
      'content-length': String(body.length),
      'x-amzn-trace-id': `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`,
      'x-forwarded-for': [headers['x-forwarded-for'] ?? [], sourceIp].flat().join(', '),
      'x-forwarded-port': host.split(':')[1] ?? '80',
      'x-forwarded-proto': 'http',
    },
    queryStringParameters: Object.keys(query).length === 0 ? undefined : query,
    pathParameters: Object.keys(pathParameters).length === 0 ? undefined : pathParameters,
    requestContext: {
      accountId: ACCOUNT,
      apiId,
      authorizer,
      domainName: host,
      domainPrefix: apiId,
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId: `${randomBytes(11).toString('base64url')}=`,
      routeKey,
      stage: '$default',
      timeEpoch: now.getTime(),
    },
    body: body.length === 0 ? undefined : body.toString(text ? 'utf8' : 'base64'),
    isBase64Encoded: body.length > 0 && !text,
  };
}

/** What a function answers with. API Gateway also knows cookies and bytes in base64, which no function here has. */
const response = z.strictObject({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
});

/** A result with a `statusCode` is a response, any other the JSON body of a 200. @throws CloudError on others */
export function answerOf(payload: string): HttpAnswer {
  const result: Json = JSON.parse(payload);
  if (!isObject(result) || result.statusCode === undefined) {
    const body = typeof result === 'string' ? result : payload;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { data, error } = response.safeParse(result);
  if (data === undefined)
    throw new CloudError(`The local cloud does not know this response: ${z.prettifyError(error)}`);
  const headers = Object.entries(data.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const type = { 'content-type': 'text/plain;charset=UTF-8' };
  return { status: data.statusCode, headers: { ...type, ...Object.fromEntries(headers) }, body: data.body };
}

/** The values of each parameter, separated by commas. */
function queryOf(text: string): Readonly<Record<string, string>> {
  const query = new URLSearchParams(text);
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]));
}

/** Bodies of these types are passed as text, all others in base64. Without a type, a body in UTF-8 is passed as text. */
function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || /^application\/(?:json|javascript|xml|(?:.+\+(?:json|xml)))$/.test(type);
}
