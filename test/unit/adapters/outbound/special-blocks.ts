/**
 * IANA's special-purpose address registries (RFC 6890 and successors), multicast, and blocks that translate to IPv4,
 * listed independently of the rule that is tested with them.
 */
export const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared address space; Alibaba's metadata 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host agent, which is not in IANA's registry
  '169.254.0.0/16', // link local; metadata of AWS, Google, Oracle, Azure
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments; Oracle's 192.0.0.192
  '192.0.0.0/29', // IPv4 service continuity
  '192.0.0.8/32', // dummy address
  '192.0.0.9/32', // port control protocol anycast
  '192.0.0.10/32', // TURN anycast
  '192.0.0.170/32', // NAT64 discovery
  '192.0.0.171/32', // DNS64 discovery
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay anycast
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved
  '255.255.255.255/32', // limited broadcast
] as const;

/** Only 2000::/3 is global unicast. These blocks are inside it or are listed in the registry. */
export const SPECIAL_IPV6 = [
  '::/128', // unspecified
  '::1/128', // loopback
  '::/96', // IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // local NAT64
  '100::/64', // discard only
  '100:0:0:1::/64', // dummy prefix
  '2001::/23', // IETF protocol assignments
  '2001::/32', // Teredo
  '2001:1::1/128', // port control protocol anycast
  '2001:1::2/128', // TURN anycast
  '2001:1::3/128', // DNS-SD SRP anycast
  '2001:2::/48', // benchmarking
  '2001:3::/32', // AMT
  '2001:4:112::/48', // AS112
  '2001:10::/28', // ORCHID
  '2001:20::/28', // ORCHIDv2
  '2001:30::/28', // drone remote identification
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local; metadata of AWS fd00:ec2::254 and Google fd20:ce::254
  'fe80::/10', // link local
  'fec0::/10', // deprecated site local
  'ff00::/8', // multicast
] as const;

export type Block = { readonly bits: 32 | 128; readonly first: bigint; readonly last: bigint };

export function toNumber(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const gap = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(gap).fill('0'), ...groups(tail)];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

export function toAddress(value: bigint, bits: 32 | 128): string {
  const size = bits === 32 ? 8n : 16n;
  const parts = Array.from({ length: bits === 32 ? 4 : 8 }, (_, index) => {
    const part = (value >> (BigInt((bits === 32 ? 3 : 7) - index) * size)) & ((1n << size) - 1n);
    return part.toString(bits === 32 ? 10 : 16);
  });
  return parts.join(bits === 32 ? '.' : ':');
}

export function toBlock(cidr: string): Block {
  const [address = '', length = ''] = cidr.split('/');
  const bits = address.includes(':') ? 128 : 32;
  const size = 1n << BigInt(bits - Number(length));
  const first = toNumber(address);
  return { bits, first, last: first + size - 1n };
}

export const contains = (block: Block, value: bigint) => value >= block.first && value <= block.last;
