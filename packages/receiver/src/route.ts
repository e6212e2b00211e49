import { answerOf, type Handle, type HandlerOptions } from './answer.ts';
import {
  type ActionReceiver,
  actionVerifier,
  type Trigger,
  type UsageReceiver,
  type UsageReport,
  usageVerifier,
  type VerifiedAction,
  type Verify,
} from './verification.ts';

/** A handler of fetch requests, such as a route handler of Next.js. */
export type Route = (request: Request) => Promise<Response>;

/**
 * Returns a handler of fetch requests for an Action: Next.js, Hono, SvelteKit, Remix, Deno, Bun. It answers 200 with the return value of
 * `handle` as JSON, or with `{"received":true}` when `handle` returns nothing. An AI-decided Action can feed that JSON back to the
 * assistant. When `handle` throws, the handler throws too: the service then receives a 5xx and sends an event again. Without a secret or a
 * `trigger`, it throws a TypeError at each request.
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
  return route(() => actionVerifier(receiver), handle, receiver);
}

/**
 * Returns a handler of fetch requests for usage webhooks. It answers 200 with the return value of `handle` as JSON;
 * `should_continue: false` stops the conversation. Without a secret, it throws a TypeError at each request.
 */
export function usageWebhookRoute(
  receiver: UsageReceiver & HandlerOptions,
  handle: Handle<UsageReport, { readonly should_continue: boolean }>,
): Route {
  return route(() => usageVerifier(receiver), handle, receiver);
}

/** Builds the verifier at a request: Next.js, SvelteKit and others load a route while they build it, without the secrets of the server. */
function route<Verified, Given extends object>(
  verifier: () => Verify<Verified>,
  handle: Handle<Verified, Given>,
  options: HandlerOptions,
): Route {
  return async (request) => {
    const { body, ...init } = await answerOf(request, verifier(), handle, options);
    return new Response(body, init);
  };
}
