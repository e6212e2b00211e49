import { type VerifiedAction, verifyAction } from './action.ts';
import type { VerifyOptions } from './freshness.ts';
import { type Secret, secretsOf } from './secrets.ts';
import { checkedUsageSecret, type UsageReport, type UsageSecret, verifyUsageWebhook } from './usage-webhook.ts';
import { VerificationError } from './verification-error.ts';

/** The event that a Function URL or an API Gateway HTTP API passes to a function (payload format 2.0). */
export type LambdaHttpEvent = {
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
};

export type LambdaHttpResult = {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
};

/** The reply to a usage webhook. `should_continue: false` stops the conversation. */
export type UsageReply = { readonly should_continue: boolean };

export type LambdaHttpHandler<Event extends LambdaHttpEvent> = (event: Event) => Promise<LambdaHttpResult>;

/**
 * Returns a Lambda handler for Action requests. It answers status 200 with the return value of `handle` as JSON, or with
 * `{"received":true}` when `handle` returns nothing. An AI-decided Action can feed that JSON back to the assistant. When `handle`
 * throws, the handler throws too: the service then receives a 5xx and sends an event again.
 * @throws TypeError without a secret
 *
 * @example
 * export const handler = actionLambda(process.env.SIGNING_SECRET, async (action) => {
 *   await store(action);
 * });
 */
export function actionLambda<Event extends LambdaHttpEvent = LambdaHttpEvent>(
  secret: Secret,
  handle: (action: VerifiedAction, event: Event) => Promise<object | undefined> | Promise<void>,
  options: VerifyOptions = {},
): LambdaHttpHandler<Event> {
  const secrets = secretsOf(secret);
  return lambda((event) => verifyAction(rawBodyOf(event), event.headers, secrets, options), handle);
}

/**
 * Returns a Lambda handler for usage webhooks. It verifies the request and answers with the return value of `handle` as JSON.
 * @throws TypeError without a secret
 *
 * @example
 * export const handler = usageWebhookLambda(usageSecretOf, async (report) => ({
 *   should_continue: await budgetLeft(report.user_id),
 * }));
 */
export function usageWebhookLambda<Event extends LambdaHttpEvent = LambdaHttpEvent>(
  secret: UsageSecret,
  handle: (report: UsageReport, event: Event) => Promise<UsageReply | undefined> | Promise<void>,
  options: VerifyOptions = {},
): LambdaHttpHandler<Event> {
  const checked = checkedUsageSecret(secret);
  return lambda((event) => verifyUsageWebhook(rawBodyOf(event), event.headers, checked, options), handle);
}

function lambda<Event extends LambdaHttpEvent, Verified>(
  verify: (event: Event) => Verified,
  handle: (verified: Verified, event: Event) => Promise<object | undefined> | Promise<void>,
): LambdaHttpHandler<Event> {
  return async (event) => {
    let verified: Verified;
    try {
      verified = verify(event);
    } catch (error) {
      if (error instanceof VerificationError) return respond(error.status, { error: error.message });
      throw error;
    }
    return respond(200, (await handle(verified, event)) ?? { received: true });
  };
}

function rawBodyOf(event: LambdaHttpEvent): Uint8Array {
  return Buffer.from(event.body ?? '', event.isBase64Encoded === true ? 'base64' : 'utf8');
}

function respond(statusCode: number, body: object): LambdaHttpResult {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
