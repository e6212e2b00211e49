import { truncateCharacters } from '../../contract/characters.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';

/** What to read of a response that only the log sees: a code point takes at most four bytes of UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/** HMAC-SHA256 in hexadecimal, as both signature headers carry it. */
const DIGEST = /[0-9a-f]{64}/;

/**
 * The first 2000 characters of a response body, read as UTF-8 (spec "Delivery log record"). Endpoints that echo what they are
 * sent are common while somebody tries things out: a signature of ours among the request's headers does not get into the log.
 */
export function responseExcerpt(body: Uint8Array, requestHeaders: Readonly<Record<string, string>>): string {
  let text = new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES));
  for (const [name, value] of Object.entries(requestHeaders)) {
    const digest = name.endsWith('-Signature') ? DIGEST.exec(value)?.[0] : undefined;
    if (digest !== undefined) text = text.replaceAll(digest, '(not shown)');
  }
  return truncateCharacters(text, RESPONSE_EXCERPT_CHARACTERS);
}
