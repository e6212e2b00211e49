import type { RandomBytes } from './sources.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Creates an id from `prefix_` and 100 random bits in lower-case base32, which is safe in a path and in a header. */
export function newId(prefix: 'site' | 'org' | 'act' | 'tool' | 'form', randomBytes: RandomBytes): string {
  const characters = Array.from(randomBytes(20), (byte) => ALPHABET[byte % 32]);
  return `${prefix}_${characters.join('')}`;
}
