import { truncateCharacters } from '../../contract/characters.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';

/** Bytes to read of a response that only the log keeps: one code point has at most four bytes in UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/** Matches an HMAC-SHA256 in hexadecimal, which both signature headers contain. */
const DIGEST = /[0-9a-f]{64}/;

/**
 * Returns the first 2000 characters of a response body, decoded as UTF-8 (spec "Delivery log record"). Removes the signature of the
 * request, because test endpoints often echo the request and signatures must not reach the log.
 */
export function responseExcerpt(body: Uint8Array, requestHeaders: Readonly<Record<string, string>>): string {
  let text = new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES));
  for (const [name, value] of Object.entries(requestHeaders)) {
    const digest = name.endsWith('-Signature') ? DIGEST.exec(value)?.[0] : undefined;
    if (digest !== undefined) text = text.replaceAll(digest, '(not shown)');
  }
  return truncateCharacters(text, RESPONSE_EXCERPT_CHARACTERS);
}
