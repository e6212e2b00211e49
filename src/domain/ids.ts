import type { RandomBytes } from './sources.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** `prefix_` and 100 random bits in lower-case base32: readable, and safe in a path, a header and a host name. */
export function newId(prefix: 'site' | 'org' | 'act', randomBytes: RandomBytes): string {
  const characters = Array.from(randomBytes(20), (byte) => ALPHABET[byte % 32]);
  return `${prefix}_${characters.join('')}`;
}
