import type { HitPerDay } from '../rate-limits/rate-limits.ts';
import type { Clock } from '../sources.ts';
import type { Deliver, OutboundOutcome, OutboundQuota } from './outbound.ts';

export type WithinQuotaPorts = {
  readonly hitPerDay: HitPerDay;
  /** Tells the operator of a request that could not be counted. */
  readonly uncounted: (orgId: string, cause: unknown) => void;
  readonly now: Clock;
};

const EXCEEDED: OutboundOutcome = {
  status: null,
  body: new Uint8Array(),
  bodyComplete: false,
  latencyMs: 0,
  failure: { code: 'quota_exceeded', message: 'The organization has made all its outbound requests of this day (UTC)' },
  note: null,
};

/**
 * Delivers, but nothing of an organization that has used up its quota of the UTC day. Every attempt counts, retries and replays too, and one
 * that the guard stops: each costs the operator about the same. A request without a quota is not counted and costs nothing more. When the
 * counter cannot be reached, the request is made: a quota bounds cost, and a fault of ours must not lose a customer's delivery.
 */
export function withinQuota(deliver: Deliver, ports: WithinQuotaPorts): Deliver {
  const mayLeave = async ({ orgId, perDay }: OutboundQuota): Promise<boolean> => {
    try {
      return (await ports.hitPerDay(orgId, perDay, ports.now())).allowed;
    } catch (cause) {
      ports.uncounted(orgId, cause);
      return true;
    }
  };
  return async (request) =>
    request.quota === undefined || (await mayLeave(request.quota)) ? deliver(request) : EXCEEDED;
}
