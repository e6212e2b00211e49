import ipaddr from 'ipaddr.js';

/**
 * Normalizes an IP address: IPv6 is compressed, and IPv4-mapped IPv6 becomes IPv4.
 * Returns undefined for text that is neither an IPv4 address with four decimal parts nor an IPv6 address.
 */
export function normalizeIpAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return undefined;
  if (trimmed.includes('%')) return undefined;
  return ipaddr.process(trimmed).toString();
}

/** Returns whether the visitor IP is on the list. An empty list allows every visitor (spec "IP allowlist"). */
export function ipAllowed(allowlist: readonly string[], visitorIp: string): boolean {
  if (allowlist.length === 0) return true;
  const address = normalizeIpAddress(visitorIp);
  return address !== undefined && allowlist.includes(address);
}

/**
 * Returns the network of a visitor, by which requests are counted: an IPv4 address, or the first 64 bits of an IPv6 address, which is the
 * smallest network that a provider assigns to a customer. Text that is not an address is returned unchanged.
 */
export function visitorNetwork(ip: string): string {
  const address = normalizeIpAddress(ip);
  if (address === undefined || !ipaddr.IPv6.isValid(address)) return address ?? ip;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}

/** Keys of the counters of a backend, by its address, and of a visitor, by network: a visitor can change the address within it. */
export const ADDRESS_COUNTERS = {
  sessionCreate: (ip: string) => `session-create#${ip}`,
  formSubmit: (siteId: string, ip: string) => `form-submit#${siteId}#${visitorNetwork(ip)}`,
} as const;
