import type { InvocationResult } from './messages.ts';

/** Lambda's limit for the response of an invocation that somebody waits for, in bytes. */
const LIMIT = 6_291_556;

/** Returns the error that a caller of Lambda receives instead of a response above the limit. */
export function withinResponseLimit(result: InvocationResult): InvocationResult {
  if (Buffer.byteLength(result.payload) <= LIMIT) return result;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${LIMIT} bytes).`;
  return { failed: true, payload: JSON.stringify({ errorType: 'Function.ResponseSizeTooLarge', errorMessage }) };
}
