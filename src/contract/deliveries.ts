/**
 * Why an attempt failed. Stable: the log, the dashboard and docs/delivery.md use these words.
 * An attempt that succeeded has no code.
 */
export const FAILURE_CODES = [
  'invalid_url',
  'blocked_address',
  'dns_failure',
  'connect_failure',
  'tls_failure',
  'timeout',
  'connection_closed',
  'response_malformed',
  'redirect',
  'http_status',
  'action_disabled',
  'action_deleted',
  'organization_suspended',
  'quota_exceeded',
  'too_many_in_flight',
  'payload_too_large',
  'internal_error',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Delivery log record (spec "Delivery log record"): one per attempt, pre-flight failures included. */
export type DeliveryRecord = {
  readonly action_id: string;
  /** Envelope id, submission id or conversation id: what ties the attempts of one delivery together. */
  readonly reference: string;
  /** As in `X-Service-Trigger`; `usage` for usage webhooks, which are kept per site. */
  readonly trigger: 'event' | 'ai' | 'form' | 'usage';
  readonly trigger_ref: string;
  readonly attempt: number;
  /** Names the replay that an operator asked for; null for the delivery that the event itself caused. */
  readonly replay: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** `started` until the outcome is known; a record that stays so was cut off by a crash. */
  readonly state: 'started' | 'succeeded' | 'failed';
  /** The body that was sent; null on GET, and for an Event delivery until the outcome is known. */
  readonly payload: string | null;
  /** True when the payload was too large for the log, which then holds its beginning. */
  readonly payload_cut: boolean;
  readonly status: number | null;
  /** First 2000 characters of the response. */
  readonly response_excerpt: string | null;
  /** Round-trip time in milliseconds. */
  readonly latency_ms: number | null;
  readonly success: boolean;
  readonly error: { readonly code: FailureCode; readonly message: string } | null;
  /** How often this attempt was sent; above 1 only where a crash cut an earlier send off. */
  readonly sends: number;
};
