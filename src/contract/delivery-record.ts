/**
 * The reasons for which an attempt fails, with advice to the person who runs the endpoint. The codes are stable: the delivery log, the
 * dashboard and docs/delivery.md use them. An attempt that succeeded has no code.
 */
export const FAILURE_ADVICE = {
  invalid_url: 'The URL cannot be called. Correct it.',
  blocked_address:
    'The service sends no request to this host: its name is not public, or one of its addresses is not. Use an endpoint on the public internet.',
  dns_failure: 'The DNS lookup of the host name failed. Check its spelling and its DNS record.',
  connect_failure: 'The connection was not accepted. Check that the server is running and that the port is open.',
  tls_failure:
    'The TLS connection failed, as the message says. The server needs a valid certificate for this host with its complete chain, and must require no client certificate.',
  timeout: 'The endpoint did not send a complete response within 5 seconds. Respond first and do the work afterwards.',
  connection_closed: 'The server closed the connection before the response was complete.',
  response_malformed: 'The response was not valid HTTP.',
  redirect: 'The endpoint sent a redirect. Redirects are not followed: use the final URL.',
  http_status: 'The endpoint responded with an error status. Look in the log of the endpoint.',
  action_disabled: 'The Action is disabled.',
  action_deleted: 'The Action was deleted.',
  organization_suspended: 'The organization is suspended.',
  quota_exceeded:
    'The organization has used its quota of outbound requests for today (UTC). Ask the operator for a higher quota.',
  too_many_in_flight: 'Too many requests of the organization are waiting for responses. Try again in a few seconds.',
  payload_too_large: 'The payload is too large or nested too deeply to send.',
  internal_error: 'The service failed. Try again.',
} as const;
export type FailureCode = keyof typeof FAILURE_ADVICE;
export const FAILURE_CODES: readonly FailureCode[] = Object.keys(FAILURE_ADVICE).filter(
  (code): code is FailureCode => code in FAILURE_ADVICE,
);

/** Of each failure: whether something of the request may have reached the endpoint, and whether an Event delivery is tried again. */
export const FAILURES: Readonly<Record<FailureCode, readonly [reached: boolean, retried: boolean]>> = {
  invalid_url: [false, false],
  blocked_address: [false, false],
  dns_failure: [false, true],
  connect_failure: [false, true],
  // A failure of TLS may follow the request, and so may a timeout.
  tls_failure: [true, true],
  timeout: [true, true],
  connection_closed: [true, true],
  response_malformed: [true, true],
  redirect: [true, false],
  // As its status says.
  http_status: [true, false],
  action_disabled: [false, false],
  action_deleted: [false, false],
  organization_suspended: [false, false],
  quota_exceeded: [false, false],
  too_many_in_flight: [false, false],
  payload_too_large: [false, false],
  internal_error: [true, false],
};

/** Returns whether nothing of the request can have reached the endpoint. */
export const isUnsent = (code: FailureCode): boolean => !FAILURES[code][0];

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
  /** The body that was sent; null on GET, for data that is nested too deeply, and for an Event delivery until the outcome is known, or for good if its Action was deleted after a crash. Null once it was erased. */
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
  /** How many times this attempt was sent: 0 when nothing of it can have reached the endpoint (`isUnsent`), more than 1 only after a crash cut off an earlier send. */
  readonly sends: number;
  /** Id of the X-Ray trace of the attempt; only with the deployment option `tracing`. */
  readonly trace_id?: string | undefined;
  /** When the operator erased payload and response, because a person wished it. ISO 8601, UTC. */
  readonly erased_at?: string | undefined;
};

export type DeliveryError = NonNullable<DeliveryRecord['error']>;

/** The part of a record that the outcome of its attempt decides. */
export type AttemptResult = Pick<DeliveryRecord, 'status' | 'response_excerpt' | 'latency_ms' | 'success' | 'error'>;
