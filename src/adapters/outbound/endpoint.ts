import { isIP } from 'node:net';
import { parseEndpointUrl } from '../../contract/fields.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { errorCode, Failure, type OutboundAttempt, suffix } from './attempt.ts';
import type { NameResolver, NetworkRule, ResolvedAddress } from './network-rule.ts';

/** The parts of a parsed endpoint URL. The URL is parsed only once, so that all checks and the request use the same parts. */
export type Endpoint = {
  /** Host name without trailing dot, or IP address without brackets. Used for DNS, SNI, certificate and messages. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  readonly authority: string;
  readonly target: string;
};

/** @throws {Failure} `invalid_url` for no well-formed https URL, `blocked_address` for a host refused without DNS */
export function parseEndpoint(text: string, rule: NetworkRule): Endpoint {
  const endpointUrl = parseEndpointUrl(text);
  if (typeof endpointUrl === 'string') throw new Failure('invalid_url', `The endpoint URL ${endpointUrl}`);
  const writtenHost = endpointUrl.hostname.replace(/\.$/, '');
  const host = writtenHost.replace(/^\[|\]$/g, '');
  const isAddress = isIP(host) !== 0;
  // An IP address is checked here, because it needs no DNS lookup.
  const refusal = isAddress ? rule.addressProblem(host) : rule.nameProblem(host);
  if (refusal !== undefined) throw new Failure('blocked_address', `The endpoint's host is ${refusal}`);
  return {
    host,
    isAddress,
    port: endpointUrl.port === '' ? 443 : Number(endpointUrl.port),
    authority: endpointUrl.port === '' ? writtenHost : `${writtenHost}:${endpointUrl.port}`,
    target: endpointUrl.pathname + endpointUrl.search,
  };
}

/** Milliseconds to wait for IPv6 addresses after IPv4 addresses were received. Some name servers do not respond to AAAA queries. */
const IPV6_GRACE_MS = 500;

/** Limit in milliseconds for caching a DNS lookup, so that a changed address is used soon. */
const KEPT_MAX_MS = 5000;
const KEPT_MAX_NAMES = 1000;

/**
 * Creates the DNS lookup, which returns all addresses of an endpoint after checking each one, IPv4 first, because a function outside a VPC has
 * no IPv6. One refused address refuses the whole lookup, because a mix of public and private addresses is likely an attack. The lookup
 * throws a Failure: `dns_failure`, `blocked_address`, or the attempt's timeout.
 *
 * It is cached for its time to live, because each makes two queries, and the resolver of a VPC accepts 1 024 queries per second. Cached
 * addresses are checked like new ones.
 * @param wallNow milliseconds since the epoch, which also advance while a function is frozen
 */
export function createResolve(rule: NetworkRule, wallNow: () => number) {
  /** `ms` is the time in milliseconds for which the addresses are kept. */
  type KeptLookup = { readonly addresses: readonly string[]; readonly at: number; readonly ms: number };
  const keptLookups = new BoundedMap<string, KeptLookup>(KEPT_MAX_NAMES);

  const addressesOf = async (host: string, { signal }: OutboundAttempt): Promise<readonly string[]> => {
    const keptLookup = keptLookups.get(host);
    const age = keptLookup === undefined ? 0 : wallNow() - keptLookup.at;
    if (keptLookup !== undefined && age >= 0 && age < keptLookup.ms) return keptLookup.addresses;
    keptLookups.delete(host);
    const at = wallNow();
    const answers = await lookUpUntil(signal, rule.createResolver(), host);
    const addresses = answers.map(({ address }) => address);
    const ms = Math.min(KEPT_MAX_MS, ...answers.map(({ ttl }) => ttl * 1000));
    if (ms > 0) keptLookups.set(host, { addresses, at, ms });
    return addresses;
  };

  return async (endpoint: Endpoint, attempt: OutboundAttempt): Promise<readonly string[]> => {
    if (endpoint.isAddress) return [endpoint.host];
    const addresses = await addressesOf(endpoint.host, attempt);
    for (const address of addresses) {
      const problem = rule.addressProblem(address);
      if (problem !== undefined) throw new Failure('blocked_address', `${endpoint.host} resolves to ${problem}`);
    }
    return addresses;
  };
}

/** Looks up a name, or rejects with the signal's reason as soon as it fires: the deadline does not depend on the resolver. */
function lookUpUntil(signal: AbortSignal, resolver: NameResolver, host: string): Promise<readonly ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      resolver.cancel();
      reject(signal.reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    lookUp(resolver, host)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const NO_ADDRESS: readonly string[] = ['ENODATA', 'ENOTFOUND'];

type LookupAnswer = { readonly addresses: readonly ResolvedAddress[]; readonly error?: unknown };

async function lookUp(resolver: NameResolver, host: string): Promise<readonly ResolvedAddress[]> {
  // These queries are absolute: no search domain is appended.
  const answer = (query: Promise<readonly ResolvedAddress[]>): Promise<LookupAnswer> =>
    query.then(
      (addresses) => ({ addresses }),
      (error: unknown) => ({ addresses: [], error }),
    );
  const pending6 = answer(resolver.resolve6(host, { ttl: true }));
  const answer4 = await answer(resolver.resolve4(host, { ttl: true }));
  const answer6 = answer4.addresses.length === 0 ? await pending6 : await orNothingAfterGrace(pending6, resolver);
  const addresses = [...answer4.addresses, ...answer6.addresses];
  if (addresses.length > 0) return addresses;
  const codes = [answer4.error, answer6.error].map(errorCode);
  // The error of a failing name server says more than that there is no address.
  const code = codes.find((one) => one !== '' && !NO_ADDRESS.includes(one)) ?? codes[0] ?? '';
  const problem = NO_ADDRESS.includes(code) ? 'has no address' : `could not be resolved${suffix(code)}`;
  throw new Failure('dns_failure', `The host name ${host} ${problem}`);
}

/** Waits for the IPv6 addresses, but at most IPV6_GRACE_MS. */
async function orNothingAfterGrace(pendingLookup: Promise<LookupAnswer>, resolver: NameResolver) {
  // A cancelled query ends with an error and has no addresses.
  const grace = setTimeout(() => resolver.cancel(), IPV6_GRACE_MS);
  return pendingLookup.finally(() => clearTimeout(grace));
}
