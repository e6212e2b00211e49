import { Resolver } from 'node:dns/promises';
import * as z from 'zod';
import * as strict from '../../../src/adapters/outbound/network-rule.ts';
import { createOutbound } from '../../../src/adapters/outbound/outbound.ts';

/** A process that delivers on command, for tests that stop it in between as Lambda freezes a function. */

const settings = z
  .object({ authority: z.string(), nameServer: z.string(), allowed: z.string() })
  .parse(JSON.parse(process.argv[2] ?? ''));
/** Milliseconds by which the wall clock is ahead, for a freeze that is too long for a test. */
let aheadMs = 0;

const { makeAttempt } = createOutbound({
  clock: { monotonic: () => performance.now(), wall: () => Date.now() + aheadMs },
  networkRule: {
    ...strict,
    addressProblem: (address) => (address === settings.allowed ? undefined : strict.addressProblem(address)),
    createResolver: () => {
      const resolver = new Resolver();
      resolver.setServers([settings.nameServer]);
      return resolver;
    },
    extraCertificateAuthorities: () => [settings.authority],
  },
});

const delivery = z.object({ url: z.string(), aheadMs: z.number() });

process.on('message', async (message) => {
  const { url, ...settings } = delivery.parse(message);
  aheadMs = settings.aheadMs;
  const { status, failure } = await makeAttempt({
    method: 'POST',
    url,
    headers: {},
    body: Buffer.from('{}'),
    connectionKey: 'action-1',
  });
  process.send?.({ status, failure });
});
