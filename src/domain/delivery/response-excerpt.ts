import { truncateCharacters } from '../../contract/characters.ts';
import { RESPONSE_EXCERPT_CHARACTERS } from '../../contract/limits.ts';

/** What to read of a response that only the log sees: a code point takes at most four bytes of UTF-8. */
export const EXCERPT_BYTES = RESPONSE_EXCERPT_CHARACTERS * 4;

/** The first 2000 characters of a response body, read as UTF-8 (spec "Delivery log record"). */
export function responseExcerpt(body: Uint8Array): string {
  return truncateCharacters(new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES)), RESPONSE_EXCERPT_CHARACTERS);
}
