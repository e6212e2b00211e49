/** Functions that count "characters" as the spec's limits do: in Unicode code points, so that no limit splits a surrogate pair. */

/** Returns whether a text has more than `limit` code points. Stops counting there, so a huge text costs no more than the limit. */
export function exceedsCharacters(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) if (++count > limit) return true;
  return false;
}

/** Returns the first `limit` code points of `text`. */
export function truncateCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let count = 0;
  let end = 0;
  for (const character of text) {
    if (++count > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Returns whether a text has no unpaired surrogate. JSON can encode one, although it is no character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
