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

export type LambdaHttpHandler = (event: LambdaHttpEvent) => Promise<LambdaHttpResult>;

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
export function actionLambda(
  secret: Secret,
  handle: (action: VerifiedAction) => Promise<object | undefined> | Promise<void>,
  options: VerifyOptions = {},
): LambdaHttpHandler {
  requireSecret(secret);
  return lambda((rawBody, { headers }) => verifyAction(rawBody, headers, secret, options), handle);
}

/**
 * Returns a Lambda handler for usage webhooks. It answers status 200 with the return value of `handle` as JSON; `should_continue: false`
 * stops the conversation.
 * @throws TypeError without a secret
 *
 * @example
 * export const handler = usageWebhookLambda(usageSecretOf, async (report) => ({
 *   should_continue: await budgetLeft(report.user_id),
 * }));
 */
export function usageWebhookLambda(
  secret: UsageSecret,
  handle: (report: UsageReport) => Promise<{ readonly should_continue: boolean } | undefined> | Promise<void>,
  options: VerifyOptions = {},
): LambdaHttpHandler {
  requireSecret(secret);
  return lambda((rawBody, { headers }) => verifyUsageWebhook(rawBody, headers, secret, options), handle);
}

function lambda<Verified>(
  verify: (rawBody: Uint8Array, event: LambdaHttpEvent) => Verified,
  handle: (verified: Verified) => Promise<object | undefined> | Promise<void>,
): LambdaHttpHandler {
  const headers = { 'content-type': 'application/json' };
  return async (event) => {
    let verified: Verified;
    try {
      verified = verify(Buffer.from(event.body ?? '', event.isBase64Encoded === true ? 'base64' : 'utf8'), event);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      return { statusCode: error.status, headers, body: JSON.stringify({ error: error.message }) };
    }
    return { statusCode: 200, headers, body: JSON.stringify((await handle(verified)) ?? { received: true }) };
  };
}
