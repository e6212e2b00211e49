import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Globally routable by its number, yet the door to Azure's host agent from every machine there. */
const AZURE_HOST = '168.63.129.16';

/**
 * Why an IP address must not be connected to; undefined when it is a public one (spec "Limits", Private addresses).
 *
 * Stricter than ipaddr.js's `range() !== 'unicast'`, which takes everything outside its table for public: an IPv6 address
 * must lie inside 2000::/3, the only block that IANA has opened for global unicast. That alone refuses mapped, compatible,
 * translated (NAT64), unique-local and every block of the future.
 *
 * @param address as a resolver, a socket or WHATWG URL writes it; text that is no address is refused
 */
export function addressProblem(address: string): string | undefined {
  // A zone index (fe80::1%eth0) is meaningful on a local link only.
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4)
    return address === AZURE_HOST ? 'a cloud metadata address' : specialRange(ipaddr.IPv4.parse(address).range());
  if (family === 6) return ipv6Problem(ipaddr.IPv6.parse(address));
  return 'not an IP address';
}

function ipv6Problem(address: ipaddr.IPv6): string | undefined {
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const special = specialRange(address.range());
  if (special !== undefined) return special;
  if (first >>> 13 !== 0b001) return 'a reserved address';
  // ISATAP hides an IPv4 address behind 0:5efe or 200:5efe in the second half of any prefix.
  if ((fifth & 0xfdff) === 0 && sixth === 0x5efe) return 'an ISATAP address';
  return undefined;
}

const NAMES: Readonly<Record<string, string>> = {
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
  return range === 'unicast' ? undefined : (NAMES[range] ?? 'a reserved address');
}
