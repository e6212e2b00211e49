import type { AttemptResult } from '../../contract/delivery-record.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';
import type { AttemptKey, AttemptStart, Context, EndpointAnswer, OutboundRequest, SendPolicy } from '../context.ts';
import type { Invocation } from '../facts.ts';

/** Sends the request of an attempt, and reports a fault of the sender. */
export async function sendAndReportFault(
  { action_id, reference, attempt }: AttemptKey,
  request: OutboundRequest,
  policy: SendPolicy,
  { send }: Context<'send'>,
  invocation: Invocation,
): Promise<EndpointAnswer> {
  const answer = await send(request, policy, invocation);
  const { cause } = answer;
  if (cause !== undefined) invocation.reportFact({ kind: 'send_failed', action_id, reference, attempt, cause });
  return answer;
}

/** Completes a record. Returns false, and reports it, when the record could not be written. */
export async function completeRecord(
  start: AttemptStart,
  result: AttemptResult,
  { deliveryLog }: Context<'deliveryLog'>,
  invocation: Invocation,
): Promise<boolean> {
  try {
    await deliveryLog.complete(start, result);
    return true;
  } catch (cause) {
    recordLost(start, result, cause, invocation);
    return false;
  }
}

/** Reports a record that could not be written. It never causes a second request. */
export function recordLost(
  { action_id, reference, attempt, at, replay }: AttemptKey,
  result: AttemptResult | null,
  cause: unknown,
  { reportFact }: Invocation,
): void {
  reportFact({ kind: 'record_lost', action_id, reference, attempt, replay, at, result, cause });
}

/** Returns the part of an answer that the record keeps. */
export const resultOf = ({ text, cause, ...result }: EndpointAnswer): AttemptResult => result;

/** Bytes to read of a response that only the log keeps: one code point has at most four bytes in UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;
