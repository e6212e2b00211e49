import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * One secret, or several when one endpoint serves several Actions. Each Action has its own secret. The type permits the value of an
 * environment variable. A variable that is not set is a TypeError.
 */
export type Secret = string | undefined | readonly (string | undefined)[];

/** Lists the secrets. @throws TypeError for a missing or empty secret, and for an empty list */
export function secretsOf(secret: Secret): readonly string[] {
  const given = typeof secret === 'string' || secret === undefined ? [secret] : secret;
  // With an empty secret, any caller could sign.
  const secrets = given.filter((one): one is string => typeof one === 'string' && one !== '');
  if (given.length === 0 || secrets.length < given.length) {
    throw new TypeError('The secret must be a non-empty string, or a list of them. Is its environment variable set?');
  }
  return secrets;
}

/**
 * Returns the bytes of a raw body.
 * @throws TypeError for any other type: this is a fault of the calling program, not of the request
 */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody must be the bytes of the request body as they arrived, not a parsed body');
}

/** Returns whether the hex digest is the HMAC-SHA256 of the message under one of the secrets. Compares in constant time. */
export function digestMatches(
  digest: string,
  secrets: readonly string[],
  message: readonly (string | Uint8Array)[],
): boolean {
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
