import { type Attempt, untilAborted } from './attempt.ts';
import type { Endpoint } from './endpoint.ts';
import { dnsFailure, errorCode, Failure } from './failure.ts';
import type { NameResolver, NetworkRule, ResolvedAddress } from './rule.ts';

/** How long IPv6 answers are waited for once IPv4 has some, in milliseconds: some name servers drop AAAA queries. */
const IPV6_GRACE_MS = 500;

/** A look-up is kept no longer than this, whatever its time to live, in milliseconds: a name that moves is followed soon. */
const KEPT_MAX_MS = 5000;
/** Names whose look-ups are kept; the oldest is forgotten first. */
const KEPT_MAX_NAMES = 1000;

/**
 * Every address of the endpoint, each one checked, IPv4 first (a function outside a VPC has no IPv6).
 * One refused address refuses them all: a mixed answer is no accident.
 * @throws {Failure} `dns_failure`, `blocked_address`, or the attempt's timeout
 */
export type ResolveEndpoint = (endpoint: Endpoint, attempt: Attempt) => Promise<readonly string[]>;

/**
 * A look-up is kept for its time to live: a delivery would otherwise make two queries, and a VPC's resolver answers 1 024 a second. What is kept
 * is checked like what was just answered.
 * @param wallNow milliseconds since the epoch, which pass also while a function is frozen
 */
export function createResolve(rule: NetworkRule, wallNow: () => number): ResolveEndpoint {
  const kept = new Map<string, { readonly addresses: readonly string[]; readonly at: number; readonly ms: number }>();

  const addressesOf = async (host: string, { signal }: Attempt): Promise<readonly string[]> => {
    const known = kept.get(host);
    const age = known === undefined ? 0 : wallNow() - known.at;
    if (known !== undefined && age >= 0 && age < known.ms) return known.addresses;
    kept.delete(host);
    const resolver = rule.createResolver();
    const at = wallNow();
    const answers = await untilAborted(signal, lookUp(resolver, host), () => resolver.cancel());
    const addresses = answers.map(({ address }) => address);
    const ms = Math.min(KEPT_MAX_MS, ...answers.map(({ ttl }) => ttl * 1000));
    if (ms > 0) kept.set(host, { addresses, at, ms });
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX_NAMES && oldest !== undefined) kept.delete(oldest);
    return addresses;
  };

  return async (endpoint, attempt) => {
    if (endpoint.isAddress) return [endpoint.host];
    const addresses = await addressesOf(endpoint.host, attempt);
    for (const address of addresses) {
      const problem = rule.addressProblem(address);
      if (problem !== undefined) throw new Failure('blocked_address', `${endpoint.host} resolves to ${problem}`);
    }
    return addresses;
  };
}

type Answer = { readonly addresses: readonly ResolvedAddress[]; readonly error?: unknown };

async function lookUp(resolver: NameResolver, host: string): Promise<readonly ResolvedAddress[]> {
  // Absolute: no search domain is ever appended.
  const answer = (query: Promise<readonly ResolvedAddress[]>): Promise<Answer> =>
    query.then(
      (addresses) => ({ addresses }),
      (error: unknown) => ({ addresses: [], error }),
    );
  const pending6 = answer(resolver.resolve6(host, { ttl: true }));
  const answer4 = await answer(resolver.resolve4(host, { ttl: true }));
  const answer6 = answer4.addresses.length === 0 ? await pending6 : await orNothingAfterGrace(pending6, resolver);
  const addresses = [...answer4.addresses, ...answer6.addresses];
  if (addresses.length > 0) return addresses;
  // "No such name" explains less than a server that failed.
  const failed = [answer4.error, answer6.error].find(
    (error) => !['', 'ENODATA', 'ENOTFOUND'].includes(errorCode(error)),
  );
  throw dnsFailure(failed ?? answer4.error, host);
}

async function orNothingAfterGrace(pending: Promise<Answer>, resolver: NameResolver): Promise<Answer> {
  // Cancelled queries end in an error, which is no address.
  const grace = setTimeout(() => resolver.cancel(), IPV6_GRACE_MS);
  const answer = await pending;
  clearTimeout(grace);
  return answer;
}
