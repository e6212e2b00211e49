import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCOUNT } from '../account.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { HttpAnswer } from '../listener.ts';

type Routed = {
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Decoded, as HTTP APIs pass it to functions. */
  readonly path: string;
  readonly rawQueryString: string;
  readonly body: Buffer;
  /** The result of the route's authorizer; undefined on routes without one. */
  readonly authorizer: JsonObject | undefined;
};

/** The event of payload format 2.0. */
export function eventOf(request: IncomingMessage, routed: Routed): object {
  const { apiId, routeKey, pathParameters, path, rawQueryString, body, authorizer } = routed;
  const all = headersOf(request.rawHeaders);
  const cookies = all.flatMap(([name, value]) => (name === 'cookie' ? value.split(/;\s*/) : []));
  const headers = joined(all.filter(([name]) => name !== 'cookie'));
  const query = joined(new URLSearchParams(rawQueryString));
  const text = isText(headers['content-type']) && isUtf8(body);
  const host = request.headers.host ?? '';
  const sourceIp = request.socket.remoteAddress ?? '';
  const now = new Date();
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString,
    cookies: cookies.length === 0 ? undefined : cookies,
    headers: {
      ...headers,
      host,
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
        method: request.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: `${randomBytes(11).toString('base64url')}=`,
      routeKey,
      stage: '$default',
      time: clfTime(now),
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

type Pair = readonly [name: string, value: string];

/** Names in lower case, and values. @param rawHeaders names and values in turn, as received */
const headersOf = (rawHeaders: readonly string[]): Pair[] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    rawHeaders[2 * index + 1] ?? '',
  ]);

/** The values of each name, separated by commas. */
const joined = (pairs: Iterable<Pair>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => [name, same.map(([, value]) => value).join(',')]),
  );

/** Bodies of these types are passed as text, all others in base64. Without a type, a body in UTF-8 is passed as text. */
function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || /^application\/(?:json|javascript|xml|(?:.+\+(?:json|xml)))$/.test(type);
}

/** `12/Mar/2026:19:03:58 +0000` */
function clfTime(time: Date): string {
  const [, day, month, year, clock] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}
