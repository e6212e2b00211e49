import { Resolver } from 'node:dns/promises';
import * as z from 'zod';
import type { NetworkRule } from '../../../../src/adapters/outbound/network-rule.ts';
import * as strict from '../../../../src/adapters/outbound/network-rule.ts';

/** The name in the receivers' certificate. */
export const HOST = 'receiver.customer.com';
/** Address on which receivers listen. The tests' rule allows this address and the next one in addition to public addresses. */
export const ALLOWED = '127.0.0.1';
export const ALLOWED_TOO = '127.0.0.2';

export const clock = { monotonicTime: () => performance.now(), wallTime: () => Date.now() };

/** The certificate authority of the receivers as PEM, and the name server in the form for `Resolver.setServers`. */
const surroundings = z.object({ authority: z.string(), nameServer: z.string() });
export type Surroundings = z.infer<typeof surroundings>;

/**
 * Returns a rule that differs from the strict one in using both, and in allowing two loopback addresses.
 * @param patience of a look-up. The default is that of the strict rule
 */
export const testRule = (
  { authority, nameServer }: Surroundings,
  patience = { timeout: 700, tries: 4 },
): NetworkRule => ({
  ...strict,
  addressProblem: (address) => ([ALLOWED, ALLOWED_TOO].includes(address) ? undefined : strict.addressProblem(address)),
  createResolver: () => {
    const resolver = new Resolver(patience);
    resolver.setServers([nameServer]);
    return resolver;
  },
  extraCertificateAuthorities: () => [authority],
});

/** Returns the settings of a process that a test starts with JSON as its argument. */
export const settingsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  surroundings.extend(shape).parse(JSON.parse(process.argv[2] ?? ''));
