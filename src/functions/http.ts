import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import httpSecurityHeaders from '@middy/http-security-headers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import * as z from 'zod';
import { INTERNAL_ERROR } from '../contract/errors.ts';
import { isJsonObject } from '../contract/fields.ts';
import { REQUEST_BODY_MAX_BYTES } from '../contract/limits.ts';
import type { Invocation } from '../domain/facts.ts';
import { parseJson } from '../domain/parse-json.ts';
import { Refusal } from '../domain/refusal.ts';
import { errorBody } from './error-body.ts';
import type { Shell } from './invocation.ts';

/** A request to the HTTP API, and what its answer and its log lines have in any case. */
export type HttpRequest = {
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parameters of the route's path, by name. `rawPath` is the path itself. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly method: string;
  readonly rawPath: string;
  /** `sub` of the access token that the API's authorizer verified; undefined on routes without an authorizer. */
  readonly subject: string | undefined;
  /** IP address of the connection to the API: that of the visitor, or of the CloudFront distribution. */
  readonly sourceIp: string;
  /** Parses the body as a JSON object. An empty body is `{}`. @throws Refusal 400, 413 */
  readonly readBody: () => Record<string, unknown>;
  /** Headers of the answer, also of a refusal that the route throws later. */
  readonly answerHeaders: Record<string, string>;
  /** Names the site of an assistant or an Action in all following log lines, also in that of a refusal. */
  readonly logSite: (entity: { readonly org_id: string; readonly site_id: string } | undefined) => void;
};

export type HttpReply = { readonly status: number; readonly body?: object };

const verifiedToken = z.object({
  authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: z.string().min(1) }) }) }),
});

/**
 * Pages of other sites call this API, and no answer depends on a cookie. With middy's default `same-origin`, the widget's check of its
 * installation (data-debug) could not tell whether the API can be reached.
 */
const CALLED_BY_OTHER_SITES = { crossOriginResourcePolicy: { policy: 'cross-origin' } };

/**
 * Creates a Lambda handler for HTTP API events from a route. Parses the request and answers a thrown Refusal with its status and message.
 * Answers every other error with a 500 and reports its cause. Each line, and an answer from 500 on, has the request id. Logs no header, body or query.
 */
export function httpHandler(
  { logger, invoke }: Shell,
  route: (request: HttpRequest, invocation: Invocation) => Promise<HttpReply>,
) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(httpSecurityHeaders(CALLED_BY_OTHER_SITES))
    .handler((event: APIGatewayProxyEventV2, context: Context) =>
      invoke(context, async (invocation): Promise<APIGatewayProxyStructuredResultV2> => {
        const answerHeaders: Record<string, string> = { 'cache-control': 'no-store', vary: 'Origin' };
        let site_id: string | undefined;
        logger.appendKeys({ api_request_id: event.requestContext.requestId });
        const logSite: HttpRequest['logSite'] = (entity) => {
          if (entity === undefined) return;
          logger.appendKeys({ org_id: entity.org_id, site_id: entity.site_id });
          site_id = entity.site_id;
        };
        try {
          return respond(await route({ ...requestOf(event), answerHeaders, logSite }, invocation), answerHeaders);
        } catch (cause) {
          if (cause instanceof Refusal) {
            const { code, status, retryAfterSeconds, facts } = cause;
            invocation.reportFact({ kind: 'request_refused', code, status, route: event.routeKey, site_id, ...facts });
            if (status >= INTERNAL_ERROR.status) answerHeaders['x-request-id'] = context.awsRequestId;
            if (retryAfterSeconds !== undefined) answerHeaders['retry-after'] = String(retryAfterSeconds);
            return respond({ status, body: errorBody(cause) }, answerHeaders);
          }
          invocation.reportFact({ kind: 'request_failed', cause });
          answerHeaders['x-request-id'] = context.awsRequestId;
          return respond({ status: INTERNAL_ERROR.status, body: errorBody(INTERNAL_ERROR) }, answerHeaders);
        }
      }),
    );
}

function respond({ status, body }: HttpReply, headers: HttpRequest['answerHeaders']) {
  if (body === undefined) return { statusCode: status, headers };
  const answerHeaders = { ...headers, 'content-type': 'application/json' };
  return { statusCode: status, headers: answerHeaders, body: JSON.stringify(body) };
}

function requestOf(event: APIGatewayProxyEventV2): Omit<HttpRequest, 'answerHeaders' | 'logSite'> {
  return {
    headers: event.headers,
    path: event.pathParameters ?? {},
    query: event.queryStringParameters ?? {},
    method: event.requestContext.http.method,
    rawPath: event.rawPath,
    subject: verifiedToken.safeParse(event.requestContext).data?.authorizer.jwt.claims.sub,
    sourceIp: event.requestContext.http.sourceIp,
    readBody: () => bodyOf(event),
  };
}

function bodyOf(event: APIGatewayProxyEventV2): Record<string, unknown> {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > REQUEST_BODY_MAX_BYTES) throw new Refusal('body_too_large');
  const value = jsonOf(bytes);
  if (value === undefined) throw new Refusal('body_not_json');
  if (!isJsonObject(value)) throw new Refusal('body_not_object');
  return value;
}

/** Parses bytes as JSON; undefined for text that is not JSON. No bytes are an empty object. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    // Bytes that are not UTF-8, which come in base64, are refused: replacement characters would make two different texts the same.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() === '' ? {} : parseJson(text);
  } catch {
    return undefined;
  }
}
