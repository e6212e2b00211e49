import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of Azure's host agent on every Azure machine, although it is in a globally routable block. */
const AZURE_HOST = '168.63.129.16';

/**
 * Returns why the service must not connect to an IP address; undefined for a public address (spec "Limits", Private addresses).
 *
 * The rule is stricter than `range() !== 'unicast'` of ipaddr.js, which treats every address outside its table as public. An IPv6 address
 * must be in 2000::/3, the only block that IANA has assigned to global unicast. This alone refuses mapped, compatible, translated (NAT64)
 * and unique-local addresses, and blocks that are assigned in the future.
 * @param address as a resolver, a socket or WHATWG URL writes it; other text is refused
 */
export function addressProblem(address: string): string | undefined {
  // A zone index (fe80::1%eth0) exists only for link-local addresses.
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4)
    return address === AZURE_HOST ? 'a cloud metadata address' : specialRange(ipaddr.IPv4.parse(address).range());
  if (family === 6) return ipv6Problem(ipaddr.IPv6.parse(address));
  return 'not an IP address';
}

function ipv6Problem(address: ipaddr.IPv6): string | undefined {
  // The eight groups of 16 bits.
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const special = specialRange(address.range());
  if (special !== undefined) return special;
  if (first < 0x2000 || first > 0x3fff) return 'a reserved address';
  // ISATAP embeds an IPv4 address after the groups 0:5efe or 200:5efe, which begin the second half of an address with any prefix.
  if ((fifth & 0xfdff) === 0 && sixth === 0x5efe) return 'an ISATAP address';
  return undefined;
}

const RANGE_NAMES: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address',
  carrierGradeNat: 'a carrier-grade NAT address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
};

function specialRange(range: string): string | undefined {
  return range === 'unicast' ? undefined : (RANGE_NAMES[range] ?? 'a reserved address');
}
