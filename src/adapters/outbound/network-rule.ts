import { Resolver } from 'node:dns/promises';
import type { NetworkRule } from './rule.ts';

/**
 * The strict rule, which every deployed function is bundled with: public addresses and public names only, the system's name
 * servers, the public certificate authorities. It reads no environment variable and takes no argument.
 */
export { addressProblem } from './address-rule.ts';
export { nameProblem } from './name-rule.ts';

/**
 * c-ares rather than getaddrinfo, which occupies one of four pool threads per name: four slow names would stop all others.
 * The first repetition comes after 700 ms, and the tries together last longer than any attempt may.
 */
export const createResolver: NetworkRule['createResolver'] = () => new Resolver({ timeout: 700, tries: 4 });

export const extraCertificateAuthorities: NetworkRule['extraCertificateAuthorities'] = () => [];
