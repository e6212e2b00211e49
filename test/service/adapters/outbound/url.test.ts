import { nameProblem } from '../../../../src/contract/host-names.ts';
import { startTcp } from './receiver.ts';
import { BLOCKED, createTestNetwork, post } from './test-network.ts';

const network = await createTestNetwork();
const canary = await startTcp(() => undefined, BLOCKED);
afterAll(() => Promise.all([canary.stop(), network.stop()]));

const refusal = async (url: string) => (await network.outbound().makeAttempt(post(0, { url }))).error?.code;

afterEach(() => {
  expect(network.names.queries).toEqual([]);
  expect(canary.connections()).toBe(0);
});

/** 127.0.0.66, where the canary listens, and other loopback addresses, in all notations of WHATWG URL and of other parsers. */
test.each([
  '127.0.0.66',
  '127.0.0.66.',
  '2130706498',
  '0x7f000042',
  '0X7F000042',
  '017700000102',
  '0177.0.0.0102',
  '0x7f.0x0.0x0.0x42',
  '0x7f.0.66',
  '127.66',
  '127.0.66',
  '127.0.0.0x42',
  '１２７.０.０.６６',
  '127。0。0。66',
  '127．0．0．66',
  '①②⑦.⓪.⓪.⑥⑥',
  '%31%32%37.0.0.66',
  '%EF%BC%91%32%37.0.0.66',
  '[::ffff:127.0.0.66]',
  '[::ffff:7f00:42]',
  '[::127.0.0.66]',
  '[0:0:0:0:0:ffff:7f00:0042]',
  '[::1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::]',
  '0',
  '0.0.0.0',
  '00000000000',
  '[64:ff9b::7f00:42]',
  '[2002:7f00:42::1]',
  '169.254.169.254',
  '[fd00:ec2::254]',
])('an address is refused as %s', async (host) => {
  expect(await refusal(`https://${host}:${canary.port}/`)).toBe('blocked_address');
});

test.each([
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'ⓛocalhost',
  'loc%61lhost',
  'intranet',
  'metadata',
  'com',
  'printer.local',
  'printer.local.',
  'metadata.google.internal',
  'ip-10-0-0-1.ec2.internal',
  'a.test',
  'a.example',
  'a.invalid',
  'a.onion',
  'a.alt',
  '1.0.0.127.in-addr.arpa',
  'router.home.arpa',
  'nas.lan',
  'a..customer.com',
  'customer.com..',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(127)}com`,
  'xn--',
  '-a.customer.com',
  'a!.customer.com',
])('a name is refused as %s', async (host) => {
  expect(await refusal(`https://${host}:${canary.port}/`)).toBe('blocked_address');
});

test.each([
  'http://customer.com/',
  'https://customer.com@127.0.0.66/',
  'https://127.0.0.66\\@customer.com/',
  'https://lo\u00adcalhost/',
  `https://customer.com/${'a'.repeat(2000)}`,
])('is refused as an endpoint URL: %j', async (url) => {
  expect(await refusal(url)).toBe('invalid_url');
});

test.each([
  'customer.com',
  'a.b.customer.co.uk',
  'xn--bcher-kva.com',
  '_sip.customer.com',
  '1.customer.com',
  'test.com',
  'local.de',
])('a public name is accepted: %s', (name) => expect(nameProblem(name)).toBeUndefined());
