import * as z from 'zod';
import { exceedsCharacters, isWellFormed } from './characters.ts';

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
