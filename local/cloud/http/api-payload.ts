import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { ACCOUNT } from '../account.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { HttpAnswer, HttpRequest } from '../listener.ts';

type Routed = {
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Decoded, as HTTP APIs pass it to functions. */
  readonly path: string;
  readonly rawQueryString: string;
  /** The result of the route's authorizer; undefined on routes without one. */
  readonly authorizer: JsonObject | undefined;
};

/** The event of payload format 2.0. */
export function eventOf({ method, headers: all, body, client }: HttpRequest, routed: Routed): object {
  const { apiId, routeKey, pathParameters, path, rawQueryString, authorizer } = routed;
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
      http: {
        method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: `${randomBytes(11).toString('base64url')}=`,
      routeKey,
      stage: '$default',
      timeEpoch: now.getTime(),
    },
    body: body.length === 0 ? undefined : body.toString(text ? 'utf8' : 'base64'),
    isBase64Encoded: body.length > 0 && !text,
  };
}

/**
 * Converts a function's result into a response as API Gateway does. A result with a `statusCode` is a response; any other result
 * becomes the JSON body of a 200. Returns undefined for an invalid response, for which API Gateway answers 500.
 */
export function answerOf(payload: string): HttpAnswer | undefined {
  const result: Json = JSON.parse(payload);
  if (!isObject(result) || result.statusCode === undefined) {
    const body = typeof result === 'string' ? result : payload;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const status = Number(result.statusCode);
  const { body = '', headers = {}, cookies = [], multiValueHeaders: _, isBase64Encoded = false } = result;
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (typeof (body ?? '') !== 'string' || !isObject(headers ?? {}) || !isList(cookies ?? [])) return undefined;
  const lines: Record<string, string | string[]> = { 'content-type': 'text/plain;charset=UTF-8' };
  for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) {
    if (value !== null) lines[name.toLowerCase()] = isList(value) ? value.map(String).join(',') : String(value);
  }
  if (isList(cookies) && cookies.length > 0) lines['set-cookie'] = cookies.map(String);
  // API Gateway sets these itself.
  for (const name of ['content-length', 'connection', 'transfer-encoding']) delete lines[name];
  const text = typeof body === 'string' ? body : '';
  return { status, headers: lines, body: isBase64Encoded === true ? Buffer.from(text, 'base64') : text };
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
