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
