import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { NetworkRule } from '../src/adapters/outbound/network-rule.ts';
import * as strict from '../src/adapters/outbound/network-rule.ts';

/**
 * The rule of the local cloud, bundled in place of the strict one when an app is composed for one machine: also allows this machine
 * itself (loopback addresses, `localhost` and names below it) and trusts the certificate authority that the local cloud made.
 */

const isLocalName = (name: string) => name === 'localhost' || name.endsWith('.localhost');
const isLoopback = (address: string) => address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

export const addressProblem: NetworkRule['addressProblem'] = (address) =>
  isLoopback(address) ? undefined : strict.addressProblem(address);

export const nameProblem: NetworkRule['nameProblem'] = (name) =>
  isLocalName(name) ? undefined : strict.nameProblem(name);

/**
 * Name servers do not know `localhost`, and not every system resolves the names below it. Many programs listen on one of its addresses; a
 * connection tries both.
 */
export const createResolver: NetworkRule['createResolver'] = () => {
  const resolver = strict.createResolver();
  return {
    resolve4: async (name, options) =>
      isLocalName(name) ? [{ address: '127.0.0.1', ttl: 60 }] : resolver.resolve4(name, options),
    resolve6: async (name, options) =>
      isLocalName(name) ? [{ address: '::1', ttl: 60 }] : resolver.resolve6(name, options),
    cancel: () => resolver.cancel(),
  };
};

/** The PEM file named by VA_WAVE_LOCAL_CA_FILE, if the variable is set. */
export const extraCertificateAuthorities: NetworkRule['extraCertificateAuthorities'] = () => {
  const file = process.env.VA_WAVE_LOCAL_CA_FILE;
  return file === undefined || file === '' ? [] : [readFileSync(file, 'utf8')];
};
