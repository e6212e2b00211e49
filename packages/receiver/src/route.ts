import { answerOf, type Handle, type HandlerOptions } from './answer.ts';
import { readRawBody } from './request.ts';
import {
  type ActionReceiver,
  requireReceiver,
  requireSecret,
  type Trigger,
  type UsageReceiver,
  type UsageReport,
  type VerifiedAction,
  verifyAction,
  verifyUsageWebhook,
} from './verification.ts';

/** A handler of fetch requests, such as a route handler of Next.js. */
export type Route = (request: Request) => Promise<Response>;

/**
 * Returns a handler of fetch requests for an Action: Next.js, Hono, SvelteKit, Remix, Deno, Bun. It answers 200 with the return value of
 * `handle` as JSON, or with `{"received":true}` when `handle` returns nothing. An AI-decided Action can feed that JSON back to the
 * assistant. When `handle` throws, the handler throws too: the service then receives a 5xx and sends an event again.
 * @throws TypeError without a secret or a kind
 *
 * @example
 * export const POST = actionRoute({ trigger: 'event', secret: process.env.SIGNING_SECRET }, async (action) => {
 *   await storeOnce(action.deduplicationKey, action.rawBody);
 * });
 */
export function actionRoute<T extends Trigger>(
  receiver: ActionReceiver<T> & HandlerOptions,
  handle: Handle<VerifiedAction<T>, object>,
): Route {
  requireReceiver(receiver);
  return route(receiver, (rawBody, headers) => verifyAction(rawBody, headers, receiver), handle);
}

/**
 * Returns a handler of fetch requests for usage webhooks. It answers 200 with the return value of `handle` as JSON;
 * `should_continue: false` stops the conversation.
 * @throws TypeError without a secret
 */
export function usageWebhookRoute(
  receiver: UsageReceiver & HandlerOptions,
  handle: Handle<UsageReport, { readonly should_continue: boolean }>,
): Route {
  requireSecret(receiver.secret);
  return route(receiver, (rawBody, headers) => verifyUsageWebhook(rawBody, headers, receiver), handle);
}

function route<Verified, Given extends object>(
  options: HandlerOptions,
  verify: (rawBody: Uint8Array, headers: Headers) => Verified,
  handle: Handle<Verified, Given>,
): Route {
  return async (request) => {
    const verified = async () => verify(await readRawBody(request), request.headers);
    const { body, ...init } = await answerOf(verified, handle, options);
    return new Response(body, init);
  };
}
