import { createHmac, timingSafeEqual } from 'node:crypto';

/** One secret, or several when one endpoint serves several Actions: each Action has its own. */
export type Secret = string | readonly string[];

/** Body and secret as they have to be; anything else is a mistake in the calling program, not in the request. */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody must be the bytes of the request body as they arrived, not a parsed body');
}

/** Whether the hex digest is that of the message under one of the secrets. Takes the same time wherever a digest differs. */
export function digestMatches(digest: string, secret: Secret, message: readonly (string | Uint8Array)[]): boolean {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // An empty secret (an unset variable, mostly) would let everybody sign.
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('secret must be a non-empty string, or a list of them');
  }
  const given = Buffer.from(digest, 'hex');
  let matches = false;
  for (const one of secrets) {
    const hmac = createHmac('sha256', one);
    for (const part of message) hmac.update(part);
    const expected = hmac.digest();
    if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true;
  }
  return matches;
}
