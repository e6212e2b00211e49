import type { ServerResponse } from 'node:http';
import { type VerifiedAction, verifyAction } from './action.ts';
import type { VerifyOptions } from './freshness.ts';
import { type ReceivedRequest, readRawBody } from './raw-body.ts';
import { type Secret, secretsOf } from './secrets.ts';
import { checkedUsageSecret, type UsageReport, type UsageSecret, verifyUsageWebhook } from './usage-webhook.ts';
import { VerificationError } from './verification-error.ts';

export type MiddlewareOptions = VerifyOptions & {
  /** The middleware answers 413 to a larger body. @default 1 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Called after the middleware has answered 400, 401 or 413, so that the receiver can log the reason. */
  readonly onRefused?: ((error: VerificationError) => void) | undefined;
};

/** An Express request handler. The handlers after it find `Locals` at `response.locals`. */
export type Middleware<Locals extends object> = (
  request: ReceivedRequest,
  response: ServerResponse & { readonly locals: Locals },
  next: (error?: unknown) => void,
) => Promise<void>;

export type ActionLocals = { action: VerifiedAction };
export type UsageLocals = { usage: UsageReport };

/**
 * Returns Express middleware that verifies Action requests and stores the result in `response.locals.action`. It answers 400, 401
 * or 413 to a request that it refuses. It reads the raw body: mount it before `express.json()`, or after `express.raw()`.
 * @throws TypeError without a secret
 *
 * @example
 * app.all('/actions', actionMiddleware(process.env.SIGNING_SECRET), (request, response) => {
 *   store(response.locals.action);
 *   response.sendStatus(204);
 * });
 */
export function actionMiddleware(secret: Secret, options: MiddlewareOptions = {}): Middleware<ActionLocals> {
  const secrets = secretsOf(secret);
  return middleware(options, (rawBody, request) => ({
    action: verifyAction(rawBody, request.headers, secrets, options),
  }));
}

/**
 * Returns Express middleware that verifies usage webhooks and stores the report in `response.locals.usage`.
 * @throws TypeError without a secret
 *
 * @example
 * app.post('/usage', usageWebhookMiddleware(usageSecretOf), (request, response) => {
 *   response.json({ should_continue: budgetLeft(response.locals.usage) });
 * });
 */
export function usageWebhookMiddleware(secret: UsageSecret, options: MiddlewareOptions = {}): Middleware<UsageLocals> {
  const checked = checkedUsageSecret(secret);
  return middleware(options, (rawBody, request) => ({
    usage: verifyUsageWebhook(rawBody, request.headers, checked, options),
  }));
}

function middleware<Locals extends object>(
  { maxBodyBytes = 1024 * 1024, onRefused }: MiddlewareOptions,
  verify: (rawBody: Uint8Array, request: ReceivedRequest) => Locals,
): Middleware<Locals> {
  return async (request, response, next) => {
    try {
      Object.assign(response.locals, verify(await readRawBody(request, maxBodyBytes), request));
    } catch (error) {
      if (!(error instanceof VerificationError)) return next(error);
      refuse(response, error);
      return onRefused?.(error);
    }
    next();
  };
}

function refuse(response: ServerResponse, error: VerificationError): void {
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/json');
  // The middleware does not read the rest of a body that is too large, so the connection cannot be reused.
  if (error.status === 413) response.setHeader('Connection', 'close');
  response.end(JSON.stringify({ error: error.message }));
}
