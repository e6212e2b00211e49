import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two digests in constant time. It is the only comparison of secrets in this service; a test checks this. Secrets are hashed
 * before, so that the comparison does not reveal their length either.
 */
export function sameDigest(expected: Uint8Array, provided: Uint8Array): boolean {
  return expected.length === provided.length && timingSafeEqual(expected, provided);
}
