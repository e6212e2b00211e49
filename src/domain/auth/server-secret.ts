import { createHash } from 'node:crypto';
import type { Assistant } from '../../contract/assistants.ts';
import type { RandomBytes } from '../sources.ts';
import { sameDigest } from './same-digest.ts';

/** Length of the part of a site id behind `site_`; the server secret begins with it. */
const SITE_PART = 20;
const FORMAT = /^ss_([a-z2-7]{20})_([A-Za-z0-9_-]{43})$/;

/**
 * A new server secret: `ss_`, the assistant's part of its public site id, and 256 random bits.
 * The site's part says where to look, so one strongly consistent read decides, and no look-up table can lag behind.
 */
export function newServerSecret(siteId: string, randomBytes: RandomBytes): string {
  return `ss_${siteId.slice(-SITE_PART)}_${Buffer.from(randomBytes(32)).toString('base64url')}`;
}

/** What is stored: SHA-256 suffices for 256 random bits, and the last six characters let an admin recognise it. */
export function storedServerSecret(secret: string): NonNullable<Assistant['server_secret']> {
  return { sha256: createHash('sha256').update(secret).digest('hex'), last_six: secret.slice(-6) };
}

/** The site whose secret this claims to be; undefined when no secret of ours has this form. */
export function siteOfServerSecret(secret: string): string | undefined {
  const sitePart = FORMAT.exec(secret)?.[1];
  return sitePart === undefined ? undefined : `site_${sitePart}`;
}

/** Constant-time comparison with the stored hash. */
export function serverSecretMatches(stored: Assistant['server_secret'], secret: string): boolean {
  if (stored === undefined) return false;
  return sameDigest(Buffer.from(stored.sha256, 'hex'), createHash('sha256').update(secret).digest());
}
