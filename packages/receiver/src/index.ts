export * from './lambda.ts';
export * from './middleware.ts';
export * from './verification.ts';
