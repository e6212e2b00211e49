import type { DeliveryRecord } from '../../contract/delivery-record.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { OUTBOUND_TIMEOUT_MS, RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';
import type { MakeAttempt, OutboundOutcome, OutboundRequest } from './outbound-request.ts';

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

export type AttemptResult = Pick<DeliveryRecord, 'status' | 'response_excerpt' | 'latency_ms' | 'success' | 'error'>;

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
  readonly recordUnsent: (
    start: AttemptStart,
    error: NonNullable<DeliveryRecord['error']>,
  ) => Promise<FinishedAttempt | undefined>;
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
export function resultOf(outcome: OutboundOutcome, request: Pick<OutboundRequest, 'headers'>): AttemptResult {
  return {
    status: outcome.status,
    response_excerpt: outcome.status === null ? null : responseExcerpt(outcome.body, request.headers),
    latency_ms: Math.round(outcome.latencyMs),
    success: outcome.failure === null,
    error: errorOf(outcome),
  };
}

/** Returns the error of an outcome. It includes a problem with the body, but a body that was cut at `keepBytes` is no error. */
function errorOf({ failure, note, bodyComplete, latencyMs }: OutboundOutcome): AttemptResult['error'] {
  if (note === null || bodyComplete) return failure;
  if (failure !== null) return { code: failure.code, message: `${failure.message}. ${note}` };
  return { code: latencyMs >= OUTBOUND_TIMEOUT_MS ? 'timeout' : 'connection_closed', message: note };
}

/** Bytes to read of a response that only the log keeps: one code point has at most four bytes in UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/** Matches an HMAC-SHA256 in hexadecimal, which both signature headers contain. */
const DIGEST = /[0-9a-f]{64}/;

/**
 * Returns the first 2000 characters of a response body, decoded as UTF-8 (spec "Delivery log record"). Removes the signature of the
 * request, because test endpoints often echo the request and signatures must not reach the log.
 */
export function responseExcerpt(body: Uint8Array, requestHeaders: Readonly<Record<string, string>>): string {
  let text = new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES));
  for (const [name, value] of Object.entries(requestHeaders)) {
    const digest = name.endsWith('-Signature') ? DIGEST.exec(value)?.[0] : undefined;
    if (digest !== undefined) text = text.replaceAll(digest, '(not shown)');
  }
  return truncateCharacters(text, RESPONSE_EXCERPT_CHARACTERS);
}
