import { Resolver } from 'node:dns/promises';
import * as strict from '../../../src/adapters/outbound/network-rule.ts';
import { createOutbound, type Outbound, type OutboundOptions } from '../../../src/adapters/outbound/outbound.ts';
import type { NetworkRule } from '../../../src/adapters/outbound/rule.ts';
import type { OutboundRequest } from '../../../src/domain/delivery/outbound.ts';
import { type Authority, createAuthority, type Identity } from './authority.ts';
import { type NameServer, startNameServer } from './name-server.ts';

/** The name in the receivers' certificate. */
export const HOST = 'receiver.customer.com';
/** Address on which receivers listen. The tests' rule allows this address and the next one in addition to public addresses. */
export const ALLOWED = '127.0.0.1';
export const ALLOWED_TOO = '127.0.0.2';
/** A loopback address that the rule refuses, so that no test may connect to it. */
export const BLOCKED = '127.0.0.66';

export const clock = { monotonic: () => performance.now(), wall: () => Date.now() };

export type TestNetwork = {
  readonly authority: Authority;
  readonly identity: Identity;
  readonly names: NameServer;
  readonly rule: NetworkRule;
  /** Creates a pipeline whose connections are closed at the end of the test file. */
  outbound(options?: Partial<OutboundOptions>): Outbound;
  stop(): Promise<void>;
};

/** Creates a private authority, a name server, and a rule that differs from the strict one in using both and in allowing two loopback addresses. */
export async function createTestNetwork(): Promise<TestNetwork> {
  const authority = createAuthority();
  const identity = authority.issue([HOST, ALLOWED]);
  const names = await startNameServer();
  names.zone.set(HOST, { a: [ALLOWED] });
  const opened: Outbound[] = [];
  const rule: NetworkRule = {
    ...strict,
    addressProblem: (address) =>
      [ALLOWED, ALLOWED_TOO].includes(address) ? undefined : strict.addressProblem(address),
    createResolver: () => {
      const resolver = new Resolver({ timeout: 700, tries: 4 });
      resolver.setServers([names.server]);
      return resolver;
    },
    extraCertificateAuthorities: () => [authority.pem],
  };
  return {
    authority,
    identity,
    names,
    rule,
    outbound: (options) => {
      const outbound = createOutbound({ clock, networkRule: rule, ...options });
      opened.push(outbound);
      return outbound;
    },
    stop: async () => {
      for (const outbound of opened) outbound.close();
      await names.stop();
    },
  };
}

/** Returns a POST of a small JSON body to the receiver on `port`. */
export function post(port: number, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: 'POST',
    url: `https://${HOST}:${port}/hook?a=1`,
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'Service-Integration/1.0' },
    body: Buffer.from('{"a":"é"}'),
    ...more,
  };
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
