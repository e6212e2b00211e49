import ipaddr from 'ipaddr.js';

/** Lengths in bytes of RFC 5321, section 4.5.3.1. The grammar is ASCII, so a character is a byte. */
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
/** A dot-string or a quoted string, then a domain or an address literal. The last `@` separates them, because only a quoted string has another. */
const MAILBOX = new RegExp(
  String.raw`^(?<local>${ATOM}(?:\.${ATOM})*|"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*")@(?:(?<domain>[A-Za-z0-9.-]+)|\[(?<literal>[^\]]*)\])$`,
);
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Returns whether a text is a Mailbox of RFC 5321, section 4.1.2, which JSON Schema's `format: email` names. Linear in the length of the text. */
export function isEmail(text: string): boolean {
  const { local, domain, literal } = (text.length <= ADDRESS_MAX ? MAILBOX.exec(text)?.groups : undefined) ?? {};
  if (local === undefined || local.length > LOCAL_PART_MAX) return false;
  return domain === undefined ? isAddressLiteral(literal ?? '') : domain.split('.').every((label) => LABEL.test(label));
}

function isAddressLiteral(literal: string): boolean {
  if (!/^ipv6:/i.test(literal)) return ipaddr.IPv4.isValidFourPartDecimal(literal);
  const address = literal.slice('IPv6:'.length);
  // ipaddr.js also accepts a zone.
  return /^[0-9a-f:.]+$/i.test(address) && ipaddr.IPv6.isValid(address);
}
