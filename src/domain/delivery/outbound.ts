import type { Method } from '../../contract/actions.ts';
import type { FailureCode } from '../../contract/deliveries.ts';

/** The number of outbound requests that an organization may make in a UTC day. */
export type OutboundQuota = { readonly orgId: string; readonly perDay: number };

/** A signed request. The bytes of its body are sent exactly as they were signed. */
export type OutboundRequest = {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null on GET. */
  readonly body: Uint8Array | null;
  /**
   * Requests with the same key may use the same connection. Event deliveries use the Action and its version as key. A request without
   * a key uses a new connection.
   */
  readonly connectionKey?: string;
  /** Bytes of the response body that the caller needs, at most 1 MB. The rest may not be read. @default 1 MB */
  readonly keepBytes?: number;
  /** The organization, or `usage#<organization>`, against whose limit of requests in flight the request counts. Absent: it is not counted. */
  readonly inFlightOf?: string;
  /** Quota against which the request counts. Absent: it is not counted. */
  readonly quota?: OutboundQuota;
};

/** The outcome of one attempt. Every behaviour of a customer's server is an outcome; none causes an exception. */
export type OutboundOutcome = {
  /** HTTP status; null when none arrived. */
  readonly status: number | null;
  /** The first `keepBytes` of the response body, as received. */
  readonly body: Uint8Array;
  /** False when the body did not end before the deadline or was cut off by the server. True when it was cut at `keepBytes`. */
  readonly bodyComplete: boolean;
  /** Milliseconds from the start of the DNS lookup to the end of the response. */
  readonly latencyMs: number;
  /** Null when the status is 2xx. */
  readonly failure: { readonly code: FailureCode; readonly message: string } | null;
  /** One line about a problem with the body, which does not change the outcome: only the status decides. Otherwise null. */
  readonly note: string | null;
};

/** Returns the outcome of a request that was not sent. */
export const notSent = (failure: NonNullable<OutboundOutcome['failure']>): OutboundOutcome => ({
  status: null,
  body: new Uint8Array(),
  bodyComplete: false,
  latencyMs: 0,
  failure,
  note: null,
});

/**
 * Makes one attempt. All outbound requests of the service use it (adapters/outbound); tests pass a fake.
 * @param ended fires when the attempt's invocation ends. @throws InvocationEnded once it has fired, and nothing else
 */
export type MakeAttempt = (request: OutboundRequest, ended?: AbortSignal) => Promise<OutboundOutcome>;

/**
 * The invocation has ended or its time is over, and with it everything that it was doing, as if the function had stopped. It begins no
 * request and no retry any more, and the outcome of a request that was under way is not known.
 */
export class InvocationEnded extends Error {
  override readonly name = 'InvocationEnded';

  constructor() {
    super('The invocation has ended');
  }
}
