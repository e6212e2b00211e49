import type { HitPerDay } from '../rate-limits.ts';
import type { Clock } from '../sources.ts';
import { type MakeAttempt, notSent, type OutboundQuota } from './outbound.ts';

export type WithinQuotaPorts = {
  readonly hitPerDay: HitPerDay;
  /** Reports to the operator that a request could not be counted. */
  readonly uncounted: (orgId: string, cause: unknown) => void;
  readonly now: Clock;
};

const EXCEEDED = notSent({
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

const TOO_MANY = notSent({
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
