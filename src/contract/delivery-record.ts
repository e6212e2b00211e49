type Failure = {
  /** What the customer can do. */
  readonly advice: string;
  /** Whether something of the request may have reached the endpoint. */
  readonly isReached: boolean;
  /** Whether an Event delivery is tried again; of `http_status`, the status decides (domain/delivery/outcome.ts). */
  readonly isRetried: boolean;
};

const unsent = (advice: string, retried = false): Failure => ({ advice, isReached: false, isRetried: retried });
const reachedFailure = (advice: string, retried = false): Failure => ({ advice, isReached: true, isRetried: retried });
const RETRIED = true;

/**
 * The reasons for which an attempt fails. The codes are stable: the delivery log, the dashboard and docs/delivery.md use them. A success may
 * have one too, when the body of its response is not whole; `failureCodeOf` leaves it out.
 */
export const FAILURES = {
  invalid_url: unsent('The URL cannot be called. Correct it.'),
  blocked_address: unsent(
    'The service sends no request to this host: its name is not public, or one of its addresses is not. Use an endpoint on the public internet.',
  ),
  dns_failure: unsent('The DNS lookup of the host name failed. Check its spelling and its DNS record.', RETRIED),
  connect_failure: unsent(
    'The connection was not accepted. Check that the server is running and that the port is open.',
    RETRIED,
  ),
  // Reached, because TLS may fail, and the time may be over, only after the request was sent.
  tls_failure: reachedFailure(
    'The TLS connection failed, as the message says. The server needs a valid certificate for this host with its complete chain, and must require no client certificate.',
    RETRIED,
  ),
  timeout: reachedFailure(
    'The endpoint did not send a complete response within 5 seconds. Respond first and do the work afterwards.',
    RETRIED,
  ),
  connection_closed: reachedFailure('The server closed the connection before the response was complete.', RETRIED),
  response_malformed: reachedFailure('The response was not valid HTTP.', RETRIED),
  redirect: reachedFailure('The endpoint sent a redirect. Redirects are not followed: use the final URL.'),
  http_status: reachedFailure('The endpoint responded with an error status. Look in the log of the endpoint.'),
  action_disabled: unsent('The Action is disabled.'),
  action_deleted: unsent('The Action was deleted.'),
  organization_suspended: unsent('The organization is suspended.'),
  quota_exceeded: unsent(
    'The organization has used its quota of outbound requests for today (UTC). Ask the operator for a higher quota.',
  ),
  too_many_in_flight: unsent(
    'Too many requests of the organization are waiting for responses. Try again in a few seconds.',
  ),
  payload_too_large: unsent('The payload is too large or nested too deeply to send.'),
  internal_error: reachedFailure('The service failed. Try again.'),
};
export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES: readonly FailureCode[] = Object.keys(FAILURES).filter(
  (code): code is FailureCode => code in FAILURES,
);

/** Returns whether nothing of the request can have reached the endpoint. */
export const isUnsent = (code: FailureCode): boolean => !FAILURES[code].isReached;

/** Returns why an attempt failed; undefined for a success, which may have an `error` too: why the body of its response is not whole. */
export const failureCodeOf = ({ success, error }: Pick<AttemptResult, 'success' | 'error'>): FailureCode | undefined =>
  success ? undefined : error?.code;

/** Delivery log record (spec "Delivery log record"): one per attempt, pre-flight failures included. */
export type DeliveryRecord = {
  readonly action_id: string;
  /** Envelope id, submission id, call id, test id or nonce; all attempts of one delivery have the same. */
  readonly reference: string;
  /** The value of `X-Service-Trigger`, or `usage` for usage webhooks, whose records are kept per site. */
  readonly trigger: 'event' | 'ai' | 'form' | 'usage';
  readonly trigger_ref: string;
  readonly attempt: number;
  /** Id of the replay that an operator started; null for the delivery that the event caused. */
  readonly replay: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** The envelope's timestamp, or the start of an attempt that no event caused. The log is sorted by this time. */
  readonly event_time: string;
  /** `started` until the outcome is known. It stays so when a crash cut the attempt off, or when its outcome could not be written. */
  readonly state: 'started' | 'succeeded' | 'failed';
  /**
   * The body of the request, also when nothing was sent. Null on GET, for data that is nested too deeply, and once it was erased; also for an
   * Event delivery without an outcome, and for good when its Action was deleted after a crash.
   */
  readonly payload: string | null;
  /** True when the payload was too large for the log. The record then has only the beginning of it. */
  readonly payload_cut: boolean;
  readonly status: number | null;
  /** First 2000 characters of the response; null once they were erased. */
  readonly response_excerpt: string | null;
  /** Round-trip time in milliseconds. */
  readonly latency_ms: number | null;
  readonly success: boolean;
  readonly error: { readonly code: FailureCode; readonly message: string } | null;
  /** How many times this attempt was sent: 0 when nothing of its only send can have reached the endpoint (`isUnsent`), more than 1 only after a crash cut off an earlier send. */
  readonly sends: number;
  /** Id of the X-Ray trace of the attempt; only with the deployment option `tracing`. */
  readonly trace_id?: string;
  /** When the operator erased payload and response, because a person wished it. ISO 8601, UTC. */
  readonly erased_at?: string;
};

export type DeliveryError = NonNullable<DeliveryRecord['error']>;

/** The part of a record that the outcome of its attempt decides. */
export type AttemptResult = Pick<DeliveryRecord, 'status' | 'response_excerpt' | 'latency_ms' | 'success' | 'error'>;
