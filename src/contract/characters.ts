/** The spec's "characters" are Unicode code points, so that a limit never splits a surrogate pair. */

/** Number of code points; stops counting once `limit` is passed, so that a huge text costs no more than the limit. */
export function exceedsCharacters(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) if (++count > limit) return true;
  return false;
}

/** The first `limit` code points of `text`. */
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

/** Whether every surrogate is one of a pair: JSON may hold half of one, which is no character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
