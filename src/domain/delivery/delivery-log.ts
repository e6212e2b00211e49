import type { DeliveryRecord } from '../../contract/deliveries.ts';
import { OUTBOUND_TIMEOUT_MS } from '../../contract/limits.ts';
import type { OutboundOutcome, OutboundRequest } from './outbound.ts';
import { responseExcerpt } from './response-excerpt.ts';

/** Which attempt a record is about. The parts name it alone: a redelivered message finds the record it wrote. */
export type AttemptKey = {
  readonly action_id: string;
  /** Sorts the log: the event's time, or when a single attempt began. ISO 8601, UTC. */
  readonly at: string;
  readonly reference: string;
  readonly attempt: number;
  /** Attempts of a replay are others than those of the first delivery. */
  readonly replay?: string;
};

export type AttemptStart = AttemptKey &
  Pick<DeliveryRecord, 'trigger' | 'trigger_ref' | 'payload' | 'started_at'> & {
    /** Of the queue message that carries this attempt; null for requests that no queue carries. */
    readonly message_id: string | null;
  };

export type AttemptResult = Pick<DeliveryRecord, 'status' | 'response_excerpt' | 'latency_ms' | 'success' | 'error'>;

export type Claim =
  /** The record is written: send. */
  | { readonly kind: 'claimed' }
  /** The same message began this attempt and never finished it: send again; the record now says so. */
  | { readonly kind: 'resumed' }
  /** The same message was handed out twice, and the other one is, or may be, still at it: come back when it is over. */
  | InProgress
  | FinishedAttempt
  /** Another message has this attempt. */
  | { readonly kind: 'taken' };

/** In so many seconds at the latest it has ended, one way or the other. */
type InProgress = { readonly kind: 'in_progress'; readonly secondsLeft: number };

/** The same message finished this attempt: do only what was left to do. */
export type FinishedAttempt = {
  readonly kind: 'finished';
  readonly result: Pick<AttemptResult, 'success' | 'status' | 'error'>;
};

export type DeliveryLog = {
  /** Writes the record of an attempt before anything is sent. */
  readonly claim: (start: AttemptStart) => Promise<Claim>;
  /** Completes a record; writes all of it when the claim could not be written. */
  readonly complete: (start: AttemptStart, result: AttemptResult) => Promise<void>;
  /**
   * Writes the finished record of an attempt that failed before anything was sent. An attempt of the same message that a crash
   * cut off fails with this error; one that is finished keeps its record, and is the answer.
   */
  readonly recordUnsent: (
    start: AttemptStart,
    error: NonNullable<DeliveryRecord['error']>,
  ) => Promise<FinishedAttempt | undefined>;
};

/** A record that could not be written becomes one line of the function's log and a count, and never a second request. */
export type LogWriteFailed = (key: AttemptKey, result: AttemptResult | null, cause: unknown) => void;

/** What the log keeps of an outcome. @param request whose signature is left out of a response that echoes it */
export function resultOf(outcome: OutboundOutcome, request: Pick<OutboundRequest, 'headers'>): AttemptResult {
  return {
    status: outcome.status,
    response_excerpt: outcome.status === null ? null : responseExcerpt(outcome.body, request.headers),
    latency_ms: Math.round(outcome.latencyMs),
    success: outcome.failure === null,
    error: errorOf(outcome),
  };
}

/** What was wrong with the body stands beside the status; a body that was cut at the size asked for is no error. */
function errorOf({ failure, note, bodyComplete, latencyMs }: OutboundOutcome): AttemptResult['error'] {
  if (note === null || bodyComplete) return failure;
  if (failure !== null) return { code: failure.code, message: `${failure.message}. ${note}` };
  return { code: latencyMs >= OUTBOUND_TIMEOUT_MS ? 'timeout' : 'connection_closed', message: note };
}
