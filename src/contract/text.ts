import * as z from 'zod';

export const NOT_WELL_FORMED = 'must be well-formed Unicode';

/** Accepts text without unpaired surrogates. JSON can encode one, but DynamoDB refuses it. */
export const unicodeText = z.string().refine((text) => isWellFormed(text), { error: NOT_WELL_FORMED });

/** Accepts well-formed text of `min` to `max` code points, counted as typed. With a `min`, text of white space alone counts as missing. */
export function characters({ min = 0, max }: { min?: number; max: number }) {
  const bounded = unicodeText.check((context) => {
    if (min > 0 && context.value.trim() === '') {
      context.issues.push({ code: 'custom', input: context.value, message: 'is required' });
    } else if (min > 0 && !exceedsCharacters(context.value, min - 1)) {
      context.issues.push({ code: 'custom', input: context.value, message: `must be at least ${min} characters` });
    }
    if (exceedsCharacters(context.value, max)) {
      context.issues.push({ code: 'custom', input: context.value, message: `must be at most ${max} characters` });
    }
  });
  // JSON Schema counts code points too.
  return bounded.meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

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
