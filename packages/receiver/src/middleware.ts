import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  requireSecret,
  type Secret,
  type UsageReport,
  type UsageSecret,
  VerificationError,
  type VerifiedAction,
  type VerifyOptions,
  verifyAction,
  verifyUsageWebhook,
} from './verification.ts';

/** Larger than any request of the service. */
const MAX_BODY_BYTES = 1024 * 1024;

export type MiddlewareOptions = VerifyOptions & {
  /** Called after the middleware has answered 400, 401 or 413, so that the receiver can log the reason. */
  readonly onRefused?: ((error: VerificationError) => void) | undefined;
};

export type ReceivedRequest = IncomingMessage & {
  /** Set by `express.raw()`. A JSON parser sets it too; its value cannot be verified, because the raw bytes are lost. */
  readonly body?: unknown;
  /** Set by some hosts, such as Google Cloud Functions. */
  readonly rawBody?: unknown;
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
  requireSecret(secret);
  return middleware(options, (rawBody, headers) => ({ action: verifyAction(rawBody, headers, secret, options) }));
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
  requireSecret(secret);
  return middleware(options, (rawBody, headers) => ({ usage: verifyUsageWebhook(rawBody, headers, secret, options) }));
}

function middleware<Locals extends object>(
  { onRefused }: MiddlewareOptions,
  verify: (rawBody: Uint8Array, headers: IncomingHttpHeaders) => Locals,
): Middleware<Locals> {
  return async (request, response, next) => {
    try {
      Object.assign(response.locals, verify(await readRawBody(request), request.headers));
    } catch (error) {
      if (!(error instanceof VerificationError)) return next(error);
      response.statusCode = error.status;
      response.setHeader('Content-Type', 'application/json');
      // The middleware does not read the rest of a body that is too large, so the connection cannot be reused.
      if (error.status === 413) response.setHeader('Connection', 'close');
      response.end(JSON.stringify({ error: error.message }));
      return onRefused?.(error);
    }
    next();
  };
}

/**
 * Returns the bytes of a request's body: those that a host or `express.raw()` kept, else those of the stream.
 * @throws Error when another parser has already read the stream
 * @throws VerificationError `body_too_large` above 1 MiB
 */
export async function readRawBody(request: ReceivedRequest): Promise<Uint8Array> {
  for (const kept of [request.rawBody, request.body]) {
    if (kept instanceof Uint8Array) return kept;
    if (typeof kept === 'string') return Buffer.from(kept);
  }
  if (request.readableDidRead) {
    throw new Error('The body was read before its signature could be checked: mount this before express.json()');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // A `for await` over the request itself would destroy the socket before the answer to a large body is written.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new VerificationError('body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
