import { Resolver } from 'node:dns/promises';

/** An address of a name, and its time to live in seconds. */
export type ResolvedAddress = { readonly address: string; readonly ttl: number };

/** A resolver for one DNS lookup. Each lookup has its own, because all queries of a resolver are cancelled together. */
export type NameResolver = {
  /** Returns all IPv4 addresses of a name. Rejects with a DNS error code in `code` like node:dns. */
  resolve4(name: string, options: { readonly ttl: true }): Promise<readonly ResolvedAddress[]>;
  /** Returns all IPv6 addresses of a name. Rejects like resolve4. */
  resolve6(name: string, options: { readonly ttl: true }): Promise<readonly ResolvedAddress[]>;
  cancel(): void;
};

/** The type of `#network-rule`. A bundle has one such module, so that no configuration at run time allows more. */
export type NetworkRule = {
  /** Returns why the service must not connect to this IP address; undefined when it may. */
  readonly addressProblem: (address: string) => string | undefined;
  /** Returns why this host name must not be resolved; undefined when it may be. The name is in lower case, without a trailing dot. */
  readonly nameProblem: (name: string) => string | undefined;
  readonly createResolver: () => NameResolver;
  /** Returns certificate authorities (PEM) that are trusted in addition to the public ones. Called once by createOutbound. */
  readonly extraCertificateAuthorities: () => readonly string[];
};

/**
 * The strict network rule, which the bundle of every deployed function contains. It allows only public addresses and names, and uses the
 * system's name servers and the public certificate authorities. It reads no environment variable and has no parameter.
 */
export { nameProblem } from '../../contract/host-names.ts';
export { addressProblem } from './address-rule.ts';

/**
 * Creates a resolver on c-ares. getaddrinfo would occupy one of four pool threads per name, so that four slow names would block all
 * others. A query is repeated after 700 ms, then after times that c-ares doubles, so that all repetitions together take longer than an attempt.
 */
export const createResolver: NetworkRule['createResolver'] = () => new Resolver({ timeout: 700, tries: 4 });

export const extraCertificateAuthorities: NetworkRule['extraCertificateAuthorities'] = () => [];
