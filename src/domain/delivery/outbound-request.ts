import type { Method } from '../../contract/actions.ts';
import type { HitPerDay } from '../counters.ts';
import type { Clock } from '../sources.ts';
import { type Outcome, unanswered } from './outcome.ts';

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

/**
 * Makes one attempt. All outbound requests of the service use it (adapters/outbound); tests pass a fake.
 * @param ended fires when the attempt's invocation ends. @throws InvocationEnded once it has fired, and nothing else
 */
export type MakeAttempt = (request: OutboundRequest, ended?: AbortSignal) => Promise<Outcome>;

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

export type WithinQuotaPorts = {
  readonly hitPerDay: HitPerDay;
  /** Reports to the operator that a request could not be counted. */
  readonly uncounted: (orgId: string, cause: unknown) => void;
  readonly now: Clock;
};

const EXCEEDED = unanswered({
  code: 'quota_exceeded',
  message: 'The organization has used its quota of outbound requests for this day (UTC)',
});

/**
 * Sends no request of an organization that has used its quota of the UTC day. Every attempt counts, including retries, replays and
 * attempts to blocked addresses, because each costs the operator about the same. A request without a quota is not counted. When the
 * counter cannot be written, the request is sent: a quota limits cost, and an internal error must not lose a customer's delivery.
 */
export function withinQuota(makeAttempt: MakeAttempt, ports: WithinQuotaPorts): MakeAttempt {
  const mayLeave = async ({ orgId, perDay }: OutboundQuota): Promise<boolean> => {
    try {
      return (await ports.hitPerDay(orgId, perDay, ports.now())).allowed;
    } catch (cause) {
      ports.uncounted(orgId, cause);
      return true;
    }
  };
  return async (request, ended) =>
    request.quota === undefined || (await mayLeave(request.quota)) ? makeAttempt(request, ended) : EXCEEDED;
}

/** A place among an organization's requests in flight. It expires, so that an invocation that was cut off does not keep it. */
export type Lease = { readonly release: () => Promise<void> };

/** Takes a place for an organization. Returns undefined when all places are taken. */
export type TakeLease = (orgId: string, now: Date) => Promise<Lease | undefined>;

export type WithinInFlightPorts = {
  readonly takeLease: TakeLease;
  /** Reports to the operator that a place could not be taken or released. */
  readonly leaseFailed: (orgId: string, cause: unknown) => void;
  readonly now: Clock;
};

const TOO_MANY = unanswered({
  code: 'too_many_in_flight',
  message: 'The organization has too many requests in flight; this one was not sent',
});

/**
 * Limits how many requests of an organization are in flight. Each request occupies one concurrent execution of a function while it waits
 * for its endpoint, and all organizations share the executions of the account. When the storage of the places fails, the request is sent:
 * the limit protects the speed of other organizations, and an internal error must not lose a customer's request.
 */
export function withinInFlight(makeAttempt: MakeAttempt, ports: WithinInFlightPorts): MakeAttempt {
  const reportFailure = (orgId: string) => (cause: unknown) => {
    ports.leaseFailed(orgId, cause);
    return 'unknown' as const;
  };
  return async (request, ended) => {
    const orgId = request.inFlightOf;
    if (orgId === undefined) return makeAttempt(request, ended);
    const lease = await ports.takeLease(orgId, ports.now()).catch(reportFailure(orgId));
    if (lease === undefined) return TOO_MANY;
    try {
      return await makeAttempt(request, ended);
    } finally {
      if (lease !== 'unknown') await lease.release().catch(reportFailure(orgId));
    }
  };
}
