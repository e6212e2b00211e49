import type { FailureCode } from '../../contract/deliveries.ts';
import type { Clock } from '../../domain/sources.ts';

/** Failures that our own network, resolver or certificates can cause: nothing was received from the endpoint. */
const NOT_REACHED: ReadonlySet<FailureCode> = new Set(['dns_failure', 'connect_failure', 'tls_failure', 'timeout']);
const WINDOW_MS = 300_000;
/** With fewer, a customer's broken endpoint would look like a broken network of ours. */
const ORGANIZATIONS_MIN = 3;
/** A container forgets the one it heard of longest ago: the share needs no more to be right. */
const ORGANIZATIONS_MAX = 1000;

/**
 * Remembers which organizations' endpoints were reached in the last five minutes.
 * One organization counts once, however many endpoints of it fail, so that no customer can raise an alarm alone.
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
    /** From 0 to 1; undefined when too few organizations were tried to tell. */
    share: (): number | undefined => {
      const since = now().getTime() - WINDOW_MS;
      for (const [orgId, { at }] of lastSeen) if (at < since) lastSeen.delete(orgId);
      if (lastSeen.size < ORGANIZATIONS_MIN) return undefined;
      const unreached = [...lastSeen.values()].filter(({ reachedAt }) => reachedAt < since);
      return unreached.length / lastSeen.size;
    },
  };
}
