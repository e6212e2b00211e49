export * from './lambda.ts';
export * from './middleware.ts';
export { type ReceivedRequest, readRawBody } from './request.ts';
export * from './route.ts';
export {
  type ActionReceiver,
  type EventEnvelope,
  type FormSubmission,
  type HeaderSource,
  type JsonObject,
  type RawBody,
  type Secret,
  type Trigger,
  type UsageReceiver,
  type UsageReport,
  type UsageSecret,
  VerificationError,
  type VerificationErrorCode,
  type VerifiedAction,
  type VerifiedAiCall,
  type VerifiedEvent,
  type VerifiedForm,
  verifyAction,
  verifyUsageWebhook,
} from './verification.ts';
