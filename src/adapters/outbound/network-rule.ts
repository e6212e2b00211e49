import { Resolver } from 'node:dns/promises';
import type { NetworkRule } from './rule.ts';

export { nameProblem } from '../../contract/host-names.ts';
/**
 * The strict network rule, which the bundle of every deployed function contains. It allows only public addresses and names, and uses the
 * system's name servers and the public certificate authorities. It reads no environment variable and has no parameter.
 */
export { addressProblem } from './address-rule.ts';

/**
 * Creates a resolver on c-ares. getaddrinfo would occupy one of four pool threads per name, so that four slow names would block all
 * others. A query is repeated after 700 ms, and all repetitions together take longer than an attempt.
 */
export const createResolver: NetworkRule['createResolver'] = () => new Resolver({ timeout: 700, tries: 4 });

export const extraCertificateAuthorities: NetworkRule['extraCertificateAuthorities'] = () => [];
