import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as bundled from '#network-rule';
import * as local from '../../../../local/network-rule.ts';
import type { NetworkRule } from '../../../../src/adapters/outbound/network-rule.ts';
import * as strict from '../../../../src/adapters/outbound/network-rule.ts';
import { createOutbound } from '../../../../src/adapters/outbound/outbound.ts';
import { restoreEnvironmentAfterEach } from '../../../harness/environment.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { createAuthority } from './authority.ts';
import { startAnswering, stopReceivers } from './receiver.ts';
import { clock, LONG_MS, OK, post } from './test-network.ts';

restoreEnvironmentAfterEach();

/** The compiler checks here that both modules have all members of the type. */
const rules: Readonly<Record<string, NetworkRule>> = { strict, local };

test('#network-rule is the strict rule unless a bundle replaces it', () => {
  expect(bundled.addressProblem).toBe(strict.addressProblem);
});

test('both modules export exactly the members of the type', () => {
  const shape = ['addressProblem', 'createResolver', 'extraCertificateAuthorities', 'nameProblem'];
  for (const rule of Object.values(rules)) expect(Object.keys(rule).sort()).toEqual(shape);
});

test('the strict rule trusts no other authority and allows no local name in any environment', () => {
  process.env.VA_WAVE_LOCAL_CA_FILE = '/nowhere.pem';
  expect(strict.extraCertificateAuthorities()).toEqual([]);
  expect(strict.nameProblem('localhost')).toBeDefined();
  expect(strict.addressProblem('127.0.0.1')).toBeDefined();
});

describe('the local rule', () => {
  const folder = temporaryFolder();
  afterEach(stopReceivers);

  test('allows this machine in addition to public addresses', () => {
    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '8.8.8.8'])
      expect(local.addressProblem(address)).toBeUndefined();
    for (const address of [
      '10.0.0.1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      '128.0.0.1%lo',
      '0.0.0.0',
      'fe80::1',
      '127.1',
    ]) {
      expect(local.addressProblem(address)).toBeDefined();
    }
    for (const name of ['localhost', 'shop.localhost']) expect(local.nameProblem(name)).toBeUndefined();
    for (const name of ['notlocalhost', 'a.local', 'metadata.google.internal'])
      expect(local.nameProblem(name)).toBeDefined();
  });

  test('resolves local names without a DNS query', async () => {
    const resolver = local.createResolver();
    expect(await resolver.resolve4('shop.localhost', { ttl: true })).toEqual([{ address: '127.0.0.1', ttl: 60 }]);
    expect(await resolver.resolve6('shop.localhost', { ttl: true })).toEqual([{ address: '::1', ttl: 60 }]);
    resolver.cancel();
  });

  test.each(['127.0.0.1', '::1'])('reaches a receiver that listens on %s alone as localhost', async (address) => {
    const authority = createAuthority();
    process.env.VA_WAVE_LOCAL_CA_FILE = join(folder, 'authority.pem');
    writeFileSync(process.env.VA_WAVE_LOCAL_CA_FILE, authority.pem);
    const outbound = createOutbound({ clock, timeoutMs: LONG_MS, networkRule: local });
    delete process.env.VA_WAVE_LOCAL_CA_FILE;
    const receiver = await startAnswering(authority.issue(['localhost']), OK, address);
    const request = post(0, { url: `https://localhost:${receiver.port}/hook` });
    expect(await outbound.makeAttempt(request)).toMatchObject({ status: 200, error: null });
    await stopReceivers();
    expect((await outbound.makeAttempt(request)).error?.code).toBe('connect_failure');
  });

  test('trusts the authority in the configured file', () => {
    process.env.VA_WAVE_LOCAL_CA_FILE = join(folder, 'ca.pem');
    writeFileSync(process.env.VA_WAVE_LOCAL_CA_FILE, 'PEM');
    expect(local.extraCertificateAuthorities()).toEqual(['PEM']);
    delete process.env.VA_WAVE_LOCAL_CA_FILE;
    expect(local.extraCertificateAuthorities()).toEqual([]);
  });
});
