export * from './lambda.ts';
export * from './middleware.ts';
export { type ReceivedRequest, readRawBody } from './request.ts';
export * from './route.ts';
export type * from './verification.ts';
export { VerificationError, verifyAction, verifyUsageWebhook } from './verification.ts';
