import { answerOf, type Handle, type HandlerOptions } from './answer.ts';
import {
  type ActionReceiver,
  actionVerifier,
  kindOf,
  type Trigger,
  type UsageReceiver,
  type UsageReport,
  usageVerifier,
  type VerifiedAction,
  type Verify,
} from './verification.ts';

/** The event that a Function URL, an API Gateway HTTP or REST API, or an Application Load Balancer passes to a function. */
export type LambdaHttpEvent = {
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined;
  /** Of a REST API, and of a load balancer with multi-value headers, which sets no `headers`. */
  readonly multiValueHeaders?: { readonly [name: string]: readonly string[] | undefined } | null | undefined;
  readonly body?: string | null | undefined;
  /** The text of the body that a parser kept, such as middy's. */
  readonly rawBody?: unknown;
  readonly isBase64Encoded?: boolean | undefined;
};

export type LambdaHttpResult = {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  /** A load balancer with multi-value headers reads these. */
  readonly multiValueHeaders?: { readonly [name: string]: string[] };
  readonly body: string;
};

export type LambdaHttpHandler = (event: LambdaHttpEvent) => Promise<LambdaHttpResult>;

/**
 * Returns a Lambda handler for Action requests. It answers status 200 with the return value of `handle` as JSON, or with
 * `{"received":true}` when `handle` returns nothing. An AI-decided Action can feed that JSON back to the assistant. When `handle`
 * throws, the handler throws too: the service then receives a 5xx and sends an event again.
 * @throws TypeError without a secret or a `trigger`; the handler throws it for an event that is no HTTP request
 *
 * @example
 * export const handler = actionLambda({ trigger: 'event', secret: process.env.SIGNING_SECRET }, async (action) => {
 *   await storeOnce(action.deduplicationKey, action.rawBody);
 * });
 */
export function actionLambda<T extends Trigger>(
  receiver: ActionReceiver<T> & HandlerOptions,
  handle: Handle<VerifiedAction<T>, object>,
): LambdaHttpHandler {
  return lambda(actionVerifier(receiver), handle, receiver);
}

/**
 * Returns a Lambda handler for usage webhooks. It answers status 200 with the return value of `handle` as JSON; `should_continue: false`
 * stops the conversation.
 * @throws TypeError without a secret; the handler throws it for an event that is no HTTP request
 *
 * @example
 * export const handler = usageWebhookLambda({ secret: usageSecretOf }, async (report) => ({
 *   should_continue: await budgetLeft(report.user_id),
 * }));
 */
export function usageWebhookLambda(
  receiver: UsageReceiver & HandlerOptions,
  handle: Handle<UsageReport, { readonly should_continue: boolean }>,
): LambdaHttpHandler {
  return lambda(usageVerifier(receiver), handle, receiver);
}

function lambda<Verified, Given extends object>(
  verify: Verify<Verified>,
  handle: Handle<Verified, Given>,
  options: HandlerOptions,
): LambdaHttpHandler {
  return async (event) => {
    const { headers, multiValueHeaders, body, rawBody, isBase64Encoded = false } = event ?? {};
    if (headers === undefined && multiValueHeaders === undefined) {
      // The usual mistake: an event of SQS, SNS or S3.
      const given = 'Records' in Object(event) ? 'one with Records' : kindOf(event);
      throw new TypeError(
        `The event has no headers: it must be of a Function URL, API Gateway or a load balancer; it is ${given}`,
      );
    }
    // A REST API has only the last of repeated headers in `headers`.
    const request = { headers: multiValueHeaders ?? headers, body, rawBody, isBase64Encoded };
    const answer = await answerOf(request, verify, handle, options);
    const type = answer.headers['content-type'];
    return {
      statusCode: answer.status,
      headers: answer.headers,
      ...(headers === undefined ? { multiValueHeaders: { 'content-type': [type] } } : {}),
      body: answer.body,
    };
  };
}
