import { randomBytes } from 'node:crypto';
import { ACCOUNT } from '../account.ts';
import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { HttpAnswer } from '../listener.ts';

export type ApiRequest = {
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly method: string;
  /** Decoded, as HTTP APIs pass it to functions. */
  readonly path: string;
  readonly rawQueryString: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  readonly host: string;
  readonly sourceIp: string;
  readonly body: Buffer;
  readonly now: Date;
  /** The result of the route's authorizer; undefined on routes without one. */
  readonly authorizer: JsonObject | undefined;
};

/** The event of payload format 2.0. */
export function eventOf(request: ApiRequest): JsonObject {
  const { cookie = [], ...headers } = grouped(request.rawHeaders);
  const query = joined([...new URLSearchParams(request.rawQueryString)].map(([name, value]) => [name, value] as const));
  const text = isText(headers['content-type']?.[0]) && isUtf8(request.body);
  const forwardedFor = [...(headers['x-forwarded-for'] ?? []), request.sourceIp].join(', ');
  return {
    version: '2.0',
    routeKey: request.routeKey,
    rawPath: request.path,
    rawQueryString: request.rawQueryString,
    ...(cookie.length === 0 ? {} : { cookies: cookie.flatMap((line) => line.split(/;\s*/)) }),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(',')])),
      host: request.host,
      'content-length': String(request.body.length),
      'x-amzn-trace-id': `Root=1-${Math.floor(request.now.getTime() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`,
      'x-forwarded-for': forwardedFor,
      'x-forwarded-port': request.host.split(':')[1] ?? '80',
      'x-forwarded-proto': 'http',
    },
    ...(Object.keys(query).length === 0 ? {} : { queryStringParameters: query }),
    ...(Object.keys(request.pathParameters).length === 0 ? {} : { pathParameters: request.pathParameters }),
    requestContext: {
      accountId: ACCOUNT,
      apiId: request.apiId,
      ...(request.authorizer === undefined ? {} : { authorizer: request.authorizer }),
      domainName: request.host,
      domainPrefix: request.apiId,
      http: {
        method: request.method,
        path: request.path,
        protocol: 'HTTP/1.1',
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent']?.join(',') ?? '',
      },
      requestId: `${randomBytes(11).toString('base64url')}=`,
      routeKey: request.routeKey,
      stage: '$default',
      time: clfTime(request.now),
      timeEpoch: request.now.getTime(),
    },
    ...(request.body.length === 0 ? {} : { body: request.body.toString(text ? 'utf8' : 'base64') }),
    isBase64Encoded: request.body.length > 0 && !text,
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

function grouped(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    headers[name] = [...(headers[name] ?? []), rawHeaders[index + 1] ?? ''];
  }
  return headers;
}

function joined(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of pairs) result[name] = result[name] === undefined ? value : `${result[name]},${value}`;
  return result;
}

/** Bodies of these types are passed as text, all others in base64. Without a type, a body in UTF-8 is passed as text. */
function isText(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || /^application\/(?:json|javascript|xml|(?:.+\+(?:json|xml)))$/.test(type);
}

function isUtf8(body: Buffer): boolean {
  return Buffer.from(body.toString('utf8'), 'utf8').equals(body);
}

/** `12/Mar/2026:19:03:58 +0000` */
function clfTime(time: Date): string {
  const [, day, month, year, clock] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}
