import { timingSafeEqual } from 'node:crypto';

/**
 * Whether two digests are the same, in a time that tells nothing about where they differ. The only comparison of anything secret
 * in this service (a test sees to it): secrets are hashed first, so that their lengths do not matter either.
 */
export function sameDigest(expected: Uint8Array, provided: Uint8Array): boolean {
  return expected.length === provided.length && timingSafeEqual(expected, provided);
}
