import ipaddr from 'ipaddr.js';

/**
 * One spelling per address: IPv6 compressed, IPv4-mapped IPv6 as IPv4.
 * Returns undefined for anything but a literal IPv4 (four decimal parts) or IPv6 address.
 */
export function normalizeIpAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return undefined;
  if (trimmed.includes('%')) return undefined;
  return ipaddr.process(trimmed).toString();
}

/** An empty list allows everybody (spec "IP allowlist": optional; if present, the visitor IP must be on it). */
export function ipAllowed(allowlist: readonly string[], visitorIp: string): boolean {
  if (allowlist.length === 0) return true;
  const address = normalizeIpAddress(visitorIp);
  return address !== undefined && allowlist.includes(address);
}

/**
 * What stands for one visitor where requests are counted: an IPv4 address, or the first 64 bits of an IPv6 address, which is the smallest
 * network that a provider gives a customer. Text that is no address stands for itself.
 */
export function visitorNetwork(ip: string): string {
  const address = normalizeIpAddress(ip);
  if (address === undefined || !ipaddr.IPv6.isValid(address)) return address ?? ip;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
