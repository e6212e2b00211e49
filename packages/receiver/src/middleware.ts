import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HandlerOptions, refusedAnswer, tellRefused } from './answer.ts';
import { readRawBody } from './request.ts';
import {
  type ActionReceiver,
  actionVerifier,
  type Trigger,
  type UsageReceiver,
  type UsageReport,
  usageVerifier,
  VerificationError,
  type VerifiedAction,
  type Verify,
} from './verification.ts';

/** An Express request handler. The handlers after it find `Locals` at `response.locals`. */
export type Middleware<Locals extends object> = (
  request: IncomingMessage,
  response: ServerResponse & { readonly locals: Locals },
  next: (error?: unknown) => void,
) => Promise<void>;

export type ActionLocals<T extends Trigger = Trigger> = { action: VerifiedAction<T> };
export type UsageLocals = { usage: UsageReport };

/**
 * Returns Express middleware that verifies Action requests and stores the result in `response.locals.action`. It answers 400, 401, 408
 * or 413 to a request that it refuses. It reads the raw body: mount it before `express.json()`, or after `express.raw()`.
 * @throws TypeError without a secret or a `trigger`
 *
 * @example
 * app.all('/actions', actionMiddleware({ trigger: 'event', secret: process.env.SIGNING_SECRET }), async (request, response) => {
 *   const { deduplicationKey, rawBody } = response.locals.action;
 *   await storeOnce(deduplicationKey, rawBody);
 *   response.json({ received: true });
 * });
 */
export function actionMiddleware<T extends Trigger>(
  receiver: ActionReceiver<T> & HandlerOptions,
): Middleware<ActionLocals<T>> {
  const verify = actionVerifier(receiver);
  return middleware((rawBody, headers) => ({ action: verify(rawBody, headers) }), receiver);
}

/**
 * Returns Express middleware that verifies usage webhooks and stores the report in `response.locals.usage`. It refuses requests and
 * is mounted like `actionMiddleware`.
 * @throws TypeError without a secret
 *
 * @example
 * app.post('/usage', usageWebhookMiddleware({ secret: usageSecretOf }), (request, response) => {
 *   response.json({ should_continue: budgetLeft(response.locals.usage) });
 * });
 */
export function usageWebhookMiddleware(receiver: UsageReceiver & HandlerOptions): Middleware<UsageLocals> {
  const verify = usageVerifier(receiver);
  return middleware((rawBody, headers) => ({ usage: verify(rawBody, headers) }), receiver);
}

function middleware<Locals extends object>(verify: Verify<Locals>, options: HandlerOptions): Middleware<Locals> {
  return async (request, response, next) => {
    try {
      Object.assign(response.locals, verify(await readRawBody(request), request.headers));
    } catch (error) {
      if (!(error instanceof VerificationError)) return next(error);
      const { status, headers, body } = refusedAnswer(error);
      // The middleware does not read the rest of a body that is too large or too slow, so the connection cannot be used again.
      const close = status === 413 || status === 408 ? { connection: 'close' } : {};
      response.writeHead(status, { ...headers, ...close }).end(body);
      return tellRefused(error, options);
    }
    next();
  };
}
