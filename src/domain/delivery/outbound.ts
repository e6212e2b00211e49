import type { Method } from '../../contract/actions.ts';
import type { FailureCode } from '../../contract/deliveries.ts';

/** How many outbound requests the organization may make in a UTC day. */
export type OutboundQuota = { readonly orgId: string; readonly perDay: number };

/** A request that is ready to go: these bytes were signed, and exactly these bytes are sent. */
export type OutboundRequest = {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null on GET. */
  readonly body: Uint8Array | null;
  /** Requests of the same key may share a connection (Event deliveries: the Action and its version); without one, a fresh connection. */
  readonly connectionKey?: string;
  /** How much of the response body the caller needs, in bytes, at most 1 MB; the rest may stay unread. @default 1 MB */
  readonly keepBytes?: number;
  /** The organization among whose requests in flight it counts; without one it is not counted. */
  readonly inFlightOf?: string;
  /** Counts the request against it; without one it is not counted. */
  readonly quota?: OutboundQuota;
};

/** What became of one attempt. Never an exception: whatever a customer's server does is an outcome. */
export type OutboundOutcome = {
  /** HTTP status, null when none arrived. */
  readonly status: number | null;
  /** The first `keepBytes` of the response body, as it was on the wire. */
  readonly body: Uint8Array;
  /** False when the body did not end within the deadline, or broke off; true when it was cut at the size asked for. */
  readonly bodyComplete: boolean;
  /** From the start of name resolution to the end of the response, in milliseconds. */
  readonly latencyMs: number;
  /** Null when the status is 2xx; a note such as an incomplete body is in `note`. */
  readonly failure: { readonly code: FailureCode; readonly message: string } | null;
  /** One line about a success that was not clean (spec silent: the status decides), else null. */
  readonly note: string | null;
};

/** The one way out of the service (adapters/outbound). Consumers declare it, tests pass a fake. */
export type Deliver = (request: OutboundRequest) => Promise<OutboundOutcome>;
