export {
  type EventEnvelope,
  type FormSubmission,
  type VerifiedAction,
  type VerifiedAiCall,
  type VerifiedEvent,
  type VerifiedForm,
  verifyAction,
} from './action.ts';
export type { VerifyOptions } from './freshness.ts';
export type { HeaderSource } from './headers.ts';
export {
  actionLambda,
  type LambdaHttpEvent,
  type LambdaHttpHandler,
  type LambdaHttpResult,
  type UsageReply,
  usageWebhookLambda,
} from './lambda.ts';
export {
  type ActionLocals,
  actionMiddleware,
  type Middleware,
  type MiddlewareOptions,
  type UsageLocals,
  usageWebhookMiddleware,
} from './middleware.ts';
export type { Secret } from './secrets.ts';
export { type UsageReport, type UsageSecret, verifyUsageWebhook } from './usage-webhook.ts';
export { VerificationError, type VerificationErrorCode } from './verification-error.ts';
