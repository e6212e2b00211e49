import * as z from 'zod';
import { exceedsCharacters, isWellFormed } from './characters.ts';

export const NOT_WELL_FORMED = 'must be well-formed Unicode';

/** Text that can be stored: JSON may hold half of a surrogate pair, which is no character, and DynamoDB refuses it. */
export const unicodeText = z.string().refine((text) => isWellFormed(text), { error: NOT_WELL_FORMED });

/** Text that can be stored, and whose length is counted in code points. */
export function characters({ min = 0, max }: { min?: number; max: number }) {
  return unicodeText.check((context) => {
    if (min > 0 && !exceedsCharacters(context.value.trim(), min - 1)) {
      context.issues.push({
        code: 'custom',
        input: context.value,
        message: min === 1 ? 'is required' : `must be at least ${min} characters`,
      });
    }
    if (exceedsCharacters(context.value, max)) {
      context.issues.push({ code: 'custom', input: context.value, message: `must be at most ${max} characters` });
    }
  });
}
