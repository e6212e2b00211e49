import { createHmac, timingSafeEqual } from 'node:crypto';

/** One secret, or several when one endpoint serves several Actions. Each Action has its own secret. */
export type Secret = string | readonly string[];

/**
 * Returns the bytes of a raw body.
 * @throws TypeError for any other type: this is a fault of the calling program, not of the request
 */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody must be the bytes of the request body as they arrived, not a parsed body');
}

/**
 * Returns whether the hex digest is the HMAC-SHA256 of the message under one of the secrets. Compares in constant time.
 * @throws TypeError for an empty secret or an empty list
 */
export function digestMatches(digest: string, secret: Secret, message: readonly (string | Uint8Array)[]): boolean {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // With an empty secret, which is mostly an unset variable, any caller could sign.
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('secret must be a non-empty string, or a list of them');
  }
  const received = Buffer.from(digest, 'hex');
  let matches = false;
  for (const one of secrets) {
    const hmac = createHmac('sha256', one);
    for (const part of message) hmac.update(part);
    const expected = hmac.digest();
    if (received.length === expected.length && timingSafeEqual(received, expected)) matches = true;
  }
  return matches;
}
