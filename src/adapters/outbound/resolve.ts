import { type Attempt, untilAborted } from './attempt.ts';
import type { Endpoint } from './endpoint.ts';
import { dnsFailure, errorCode, Failure } from './failure.ts';
import type { NameResolver, NetworkRule } from './rule.ts';

/** How long IPv6 answers are waited for once IPv4 has some, in milliseconds: some name servers drop AAAA queries. */
const IPV6_GRACE_MS = 500;

/**
 * Every address of the endpoint, each one checked, IPv4 first (a function outside a VPC has no IPv6).
 * One refused address refuses them all: a mixed answer is no accident.
 * @throws {Failure} `dns_failure`, `blocked_address`, or the attempt's timeout
 */
export async function resolveEndpoint(
  endpoint: Endpoint,
  rule: NetworkRule,
  attempt: Attempt,
): Promise<readonly string[]> {
  if (endpoint.isAddress) return [endpoint.host];
  const resolver = rule.createResolver();
  const addresses = await untilAborted(attempt.signal, lookUp(resolver, endpoint.host), () => resolver.cancel());
  for (const address of addresses) {
    const problem = rule.addressProblem(address);
    if (problem !== undefined) throw new Failure('blocked_address', `${endpoint.host} resolves to ${problem}`);
  }
  return addresses;
}

type Answer = { readonly addresses: readonly string[]; readonly error?: unknown };

async function lookUp(resolver: NameResolver, host: string): Promise<readonly string[]> {
  // Absolute: no search domain is ever appended.
  const answer = (query: Promise<readonly string[]>): Promise<Answer> =>
    query.then(
      (addresses) => ({ addresses }),
      (error: unknown) => ({ addresses: [], error }),
    );
  const pending6 = answer(resolver.resolve6(host));
  const answer4 = await answer(resolver.resolve4(host));
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
