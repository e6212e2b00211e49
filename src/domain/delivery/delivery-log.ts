import type { DeliveryRecord } from '../../contract/delivery-record.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';
import type { MakeAttempt, OutboundRequest } from './outbound-request.ts';
import type { AttemptResult, DeliveryError, Outcome } from './outcome.ts';
import { withoutSignatures } from './signature.ts';

/** Identifies the record of an attempt. All parts come from the message, so a message that is delivered again finds its record. */
export type AttemptKey = {
  readonly action_id: string;
  /** Time by which the log is sorted: the event's time, or the start of a single attempt. ISO 8601, UTC. */
  readonly at: string;
  readonly reference: string;
  readonly attempt: number;
  /** Id of the replay. A replay has its own attempts, counted separately from those of the first delivery. */
  readonly replay?: string;
};

export type AttemptStart = AttemptKey &
  Pick<DeliveryRecord, 'trigger' | 'trigger_ref' | 'payload' | 'started_at'> & {
    /** Id of the queue message of this attempt; null for requests without a queue message. */
    readonly message_id: string | null;
  };

export type Claim =
  /** The record is written. The caller sends the request. */
  | { readonly kind: 'claimed' }
  /** The same message began this attempt and did not finish it. The caller sends the request again; the record counts both sends. */
  | { readonly kind: 'resumed' }
  /** SQS delivered the same message twice, and the other invocation may still be making the attempt. The caller waits for its end. */
  | InProgress
  | FinishedAttempt
  /** Another message has claimed this attempt. */
  | { readonly kind: 'taken' };

/** The attempt has ended after `secondsLeft` at the latest. */
type InProgress = { readonly kind: 'in_progress'; readonly secondsLeft: number };

/** The same message has already finished this attempt. The caller does only the remaining work. */
export type FinishedAttempt = {
  readonly kind: 'finished';
  readonly result: Pick<AttemptResult, 'success' | 'status' | 'error'>;
};

export type DeliveryLog = {
  /** Writes the record of an attempt before anything is sent. */
  readonly claim: (start: AttemptStart) => Promise<Claim>;
  /** Completes a record. Writes the whole record when the claim of a request without a queue message could not be written. */
  readonly complete: (start: AttemptStart, result: AttemptResult) => Promise<void>;
  /**
   * Writes the record of an attempt that failed before a request was sent. When a crash cut off an earlier attempt of the same message,
   * its record gets this error. When the same message has finished the attempt, its record is kept and returned.
   */
  readonly recordUnsent: (start: AttemptStart, error: DeliveryError) => Promise<FinishedAttempt | undefined>;
};

/** Reports a record that could not be written, by a line of the function's log and a count. It never causes a second request. */
export type LogWriteFailed = (key: AttemptKey, result: AttemptResult | null, cause: unknown) => void;

/** What makes and records the attempts of an invocation. */
export type Attempts = {
  readonly makeAttempt: MakeAttempt;
  readonly log: DeliveryLog;
  readonly logWriteFailed: LogWriteFailed;
};

/** Returns the part of an outcome that the log keeps. @param request its signature is removed from a response that echoes it */
export function resultOf(
  { body, cause, ...result }: Outcome,
  { headers }: Pick<OutboundRequest, 'headers'>,
): AttemptResult {
  return { ...result, response_excerpt: result.status === null ? null : responseExcerpt(body, headers) };
}

/** Bytes to read of a response that only the log keeps: one code point has at most four bytes in UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/**
 * Returns the first 2000 characters of a response body, decoded as UTF-8 (spec "Delivery log record"). Removes the signature of the
 * request, because test endpoints often echo the request and signatures must not reach the log.
 */
export function responseExcerpt(body: Uint8Array, requestHeaders: Readonly<Record<string, string>>): string {
  const text = new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES));
  return truncateCharacters(withoutSignatures(text, requestHeaders), RESPONSE_EXCERPT_CHARACTERS);
}
