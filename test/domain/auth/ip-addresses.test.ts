import fc from 'fast-check';
import { ipAllowed, normalizeIpAddress, visitorNetwork } from '../../../src/domain/auth/ip-addresses.ts';

test.each<[string, string | undefined]>([
  [' 198.51.100.7 ', '198.51.100.7'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['::ffff:c633:6407', '198.51.100.7'],
  ['', undefined],
  ['198.51.100.0/24', undefined],
  ['198.51.100', undefined],
  ['0x7f.0.0.1', undefined],
  ['2130706433', undefined],
  ['198.51.100.07', undefined],
  ['198.51.100.256', undefined],
  ['fe80::1%eth0', undefined],
  ['shop.example', undefined],
])('%p is normalized to %p', (text, normalized) => {
  expect(normalizeIpAddress(text)).toBe(normalized);
});

test.each<[readonly string[], string, boolean]>([
  [[], 'not an address', true],
  [['198.51.100.7', '2001:db8::1'], '::ffff:198.51.100.7', true],
  [['198.51.100.7', '2001:db8::1'], '2001:db8::2', false],
  [['198.51.100.7', '2001:db8::1'], '', false],
])('the list %j allows %p: %p', (list, ip, allowed) => {
  expect(ipAllowed(list, ip)).toBe(allowed);
});

test('every notation of an address has the same normalized form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      const once = normalizeIpAddress(ip) ?? '';
      expect(normalizeIpAddress(once)).toBe(once);
      expect(ipAllowed([once], ip)).toBe(true);
    }),
  );
});

test.each([
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['unknown', 'unknown'],
])('a visitor at %s counts as %s', (ip, network) => {
  expect(visitorNetwork(ip)).toBe(network);
});
