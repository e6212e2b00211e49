import { createHash, timingSafeEqual } from 'node:crypto';
import type { Assistant } from '../../contract/assistants.ts';
import type { RandomBytes } from '../sources.ts';

/** Length of a site id without `site_`. The server secret contains this part, and 256 random bits as 43 characters. */
const SITE_PART = 20;
const FORMAT = /^ss_([a-z2-7]{20})_([A-Za-z0-9_-]{43})$/;

/**
 * Creates a server secret from `ss_`, the site id without its prefix, and 256 random bits. Because it contains the site id, one strongly
 * consistent read finds the assistant, and no secondary index, which may be outdated, is needed.
 */
export function newServerSecret(siteId: string, randomBytes: RandomBytes): string {
  return `ss_${siteId.slice(-SITE_PART)}_${Buffer.from(randomBytes(32)).toString('base64url')}`;
}

/** Returns the stored form: the SHA-256 hash, which suffices for 256 random bits, and the last six characters, which identify it. */
export function storedServerSecret(secret: string): NonNullable<Assistant['server_secret']> {
  return { sha256: createHash('sha256').update(secret).digest('hex'), last_six: secret.slice(-6) };
}

/** Returns the site that a server secret claims; undefined when the text does not have the form of a server secret. */
export function siteOfServerSecret(secret: string): string | undefined {
  const sitePart = FORMAT.exec(secret)?.[1];
  return sitePart === undefined ? undefined : `site_${sitePart}`;
}

/** Compares a secret with the stored hash in constant time. */
export function serverSecretMatches(stored: Assistant['server_secret'], secret: string): boolean {
  if (stored === undefined) return false;
  return sameDigest(Buffer.from(stored.sha256, 'hex'), createHash('sha256').update(secret).digest());
}

/**
 * Compares two digests in constant time. It is the only comparison of secrets in this service; a test checks this. Secrets are hashed
 * before, so that the comparison does not reveal their length either.
 */
export function sameDigest(expected: Uint8Array, provided: Uint8Array): boolean {
  return expected.length === provided.length && timingSafeEqual(expected, provided);
}
