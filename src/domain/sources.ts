/** Sources of time, randomness and ids. They are passed as arguments, so that tests can freeze them. */
export type Clock = () => Date;
export type RandomBytes = (size: number) => Uint8Array;
export type NewId = () => string;

export const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000);

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Creates an id from `prefix_` and 100 random bits in lower-case base32, which is safe in a path and in a header. */
export function newEntityId(prefix: 'site' | 'org' | 'act' | 'tool' | 'form', randomBytes: RandomBytes): string {
  const characters = Array.from(randomBytes(20), (byte) => ALPHABET[byte % 32]);
  return `${prefix}_${characters.join('')}`;
}
