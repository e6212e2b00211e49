import type { FailureCode } from '../contract/deliveries.ts';
import type { Clock } from '../domain/sources.ts';

/** Failures that the network, resolver or certificates of this service can cause. The endpoint sent no response. */
const NOT_REACHED: ReadonlySet<FailureCode> = new Set(['dns_failure', 'connect_failure', 'tls_failure', 'timeout']);
const WINDOW_MS = 300_000;
/** With fewer organizations, the broken endpoint of one customer would look like a broken network of this service. */
const ORGANIZATIONS_MIN = 3;
/** A container removes the organization that it has not seen for the longest time. The share needs no more organizations. */
const ORGANIZATIONS_MAX = 1000;

/**
 * Tracks which organizations have an endpoint that was reached in the last five minutes.
 * Each organization counts once, even when many of its endpoints fail, so that one customer cannot raise the alarm.
 */
export function unreachedOrganizations(now: Clock) {
  const lastSeen = new Map<string, { at: number; reachedAt: number }>();
  return {
    attempted: (orgId: string, failure: FailureCode | undefined): void => {
      const at = now().getTime();
      const reached = failure === undefined || !NOT_REACHED.has(failure);
      const reachedAt = reached ? at : (lastSeen.get(orgId)?.reachedAt ?? Number.NEGATIVE_INFINITY);
      lastSeen.delete(orgId);
      lastSeen.set(orgId, { at, reachedAt });
      const [oldest] = lastSeen.keys();
      if (lastSeen.size > ORGANIZATIONS_MAX && oldest !== undefined) lastSeen.delete(oldest);
    },
    /** Returns the share of unreached organizations, from 0 to 1; undefined for fewer than three organizations. */
    share: (): number | undefined => {
      const since = now().getTime() - WINDOW_MS;
      for (const [orgId, { at }] of lastSeen) if (at < since) lastSeen.delete(orgId);
      if (lastSeen.size < ORGANIZATIONS_MIN) return undefined;
      const unreached = [...lastSeen.values()].filter(({ reachedAt }) => reachedAt < since);
      return unreached.length / lastSeen.size;
    },
  };
}
