import fc from 'fast-check';
import { addressProblem } from '../../../../src/adapters/outbound/address-rule.ts';
import { type Block, contains, SPECIAL_IPV4, SPECIAL_IPV6, toAddress, toBlock, toNumber } from './special-blocks.ts';

const ipv4 = SPECIAL_IPV4.map(toBlock);
const ipv6 = SPECIAL_IPV6.map(toBlock);
const OPEN_IPV6 = toBlock('2000::/3');

const isSpecial = (value: bigint, bits: 32 | 128) =>
  bits === 32
    ? ipv4.some((block) => contains(block, value))
    : !contains(OPEN_IPV6, value) || ipv6.some((block) => contains(block, value));

const neighbours = ({ bits, first, last }: Block) =>
  [first - 1n, last + 1n].filter((value) => value >= 0n && value < 1n << BigInt(bits) && !isSpecial(value, bits));

describe.each([...SPECIAL_IPV4, ...SPECIAL_IPV6])('%s', (cidr) => {
  const block = toBlock(cidr);

  test('is refused at both edges', () => {
    for (const value of [block.first, block.last]) expect(addressProblem(toAddress(value, block.bits))).toBeDefined();
  });

  test('is refused at random addresses', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: block.first, max: block.last }), (value) => {
        expect(addressProblem(toAddress(value, block.bits))).toBeDefined();
      }),
    );
  });

  test('has public neighbours that are accepted', () => {
    for (const value of neighbours(block)) expect(addressProblem(toAddress(value, block.bits))).toBeUndefined();
  });
});

test('every IPv4 address outside the special blocks is accepted', () => {
  const anywhere = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }).filter((value) => !isSpecial(value, 32));
  fc.assert(
    fc.property(anywhere, (value) => expect(addressProblem(toAddress(value, 32))).toBeUndefined()),
    { numRuns: 2000 },
  );
});

/** ISATAP is the only form that is recognized by the lower half of an address. */
const isIsatap = (value: bigint) => ((value >> 32n) & 0xfdffffffn) === 0x5efen;

test('every IPv6 address in 2000::/3 outside the special blocks is accepted', () => {
  const anywhere = fc
    .bigInt({ min: OPEN_IPV6.first, max: OPEN_IPV6.last })
    .filter((value) => !isSpecial(value, 128) && !isIsatap(value));
  fc.assert(
    fc.property(anywhere, (value) => expect(addressProblem(toAddress(value, 128))).toBeUndefined()),
    { numRuns: 2000 },
  );
});

test('every IPv6 address outside 2000::/3 is refused', () => {
  const anywhere = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).filter((value) => !contains(OPEN_IPV6, value));
  fc.assert(
    fc.property(anywhere, (value) => expect(addressProblem(toAddress(value, 128))).toBeDefined()),
    { numRuns: 2000 },
  );
});

const hex = (value: bigint) => `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;

/** All recognizable forms of an IPv4 address inside an IPv6 address. */
const EMBEDDINGS: readonly (readonly [string, (ipv4: bigint) => string])[] = [
  ['mapped', (v4) => `::ffff:${hex(v4)}`],
  ['mapped, dotted', (v4) => `::ffff:${toAddress(v4, 32)}`],
  ['compatible', (v4) => `::${hex(v4)}`],
  ['compatible, dotted', (v4) => `::${toAddress(v4, 32)}`],
  ['translated', (v4) => `::ffff:0:${hex(v4)}`],
  ['NAT64', (v4) => `64:ff9b::${hex(v4)}`],
  ['NAT64, local', (v4) => `64:ff9b:1::${hex(v4)}`],
  ['6to4', (v4) => `2002:${hex(v4)}::1`],
  ['Teredo server', (v4) => `2001:0:${hex(v4)}:0:0:0:1`],
  ['Teredo client', (v4) => `2001:0:4136:e378:8000:63bf:${hex(v4 ^ 0xffffffffn)}`],
  ['ISATAP', (v4) => `2a00:1450:4001:80b:0:5efe:${hex(v4)}`],
  ['ISATAP, universal', (v4) => `2a00:1450:4001:80b:200:5efe:${hex(v4)}`],
];

test.each(EMBEDDINGS)('any IPv4 address embedded as %s is refused', (_, embed) => {
  for (const address of ['127.0.0.1', '169.254.169.254', '8.8.8.8']) {
    expect(addressProblem(embed(toNumber(address)))).toBeDefined();
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (v4) => expect(addressProblem(embed(v4))).toBeDefined()),
  );
});

test.each(['168.63.129.15', '168.63.129.17', '1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])(
  'public %s passes',
  (address) => expect(addressProblem(address)).toBeUndefined(),
);

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '010.0.0.1',
  '8.8.8.8 ',
  '8.8.8.8/32',
  '[::1]',
  '2a00::1%eth0',
  '1.2.3.4.5',
])('text that is not a plain address is refused: %j', (text) => expect(addressProblem(text)).toBe('not an IP address'));
