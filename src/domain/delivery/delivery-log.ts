import type { AttemptResult } from '../../contract/delivery-record.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';
import type { AttemptKey, AttemptStart, Context, OutboundRequest, Outcome } from '../context.ts';
import type { Invocation } from '../facts.ts';
import { responseText } from './response-text.ts';
import { withoutSignatures } from './signature.ts';

/** Sends the request of an attempt, and reports a fault of the sender. */
export async function sendAttempt(
  { action_id, reference, attempt }: AttemptKey,
  request: OutboundRequest,
  { send }: Context<'send'>,
  invocation: Invocation,
): Promise<Outcome> {
  const outcome = await send(request, invocation);
  const { cause } = outcome;
  if (cause !== undefined) invocation.report({ kind: 'send_failed', action_id, reference, attempt, cause });
  return outcome;
}

/** Completes a record. Returns false, and reports it, when the record could not be written. */
export async function completeRecord(
  start: AttemptStart,
  result: AttemptResult,
  { log }: Context<'log'>,
  invocation: Invocation,
): Promise<boolean> {
  try {
    await log.complete(start, result);
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
  { report }: Invocation,
): void {
  report({ kind: 'record_lost', action_id, reference, attempt, replay, at, result, cause });
}

/** Returns the part of an outcome that the record keeps. @param request its signature is removed from a response that echoes it */
export function resultOf(
  { body, content_type, cause, ...result }: Outcome,
  { headers }: Pick<OutboundRequest, 'headers'>,
): AttemptResult {
  return { ...result, response_excerpt: result.status === null ? null : responseExcerpt(body, headers, content_type) };
}

/** What stands in the place of a response that is no text. */
const NO_TEXT = '(not text)';

/** Bytes to read of a response that only the log keeps: one code point has at most four bytes in UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/**
 * Returns the first 2000 characters of a response body, decoded as its content type says (spec "Delivery log record"). Removes the signature of the
 * request, because test endpoints often echo the request and signatures must not reach the log.
 */
export function responseExcerpt(
  body: Uint8Array,
  requestHeaders: Readonly<Record<string, string>>,
  contentType?: string,
): string {
  const text = responseText(body.subarray(0, EXCERPT_BYTES), contentType) ?? NO_TEXT;
  return truncateCharacters(withoutSignatures(text, requestHeaders), RESPONSE_EXCERPT_CHARACTERS);
}
