import * as z from 'zod';
import { REFUSAL_CODES } from './errors.ts';

/** What a function that is invoked directly answers when it refuses (its shape is open in the spec). */
export const refusedInvocation = z.object({
  success: z.literal(false),
  code: z.literal(REFUSAL_CODES),
  /** As HTTP's. */
  status: z.int(),
  error: z.string(),
  /** The field that is wrong, as a path with dots. */
  field: z.string().optional(),
  /** Whole seconds until it makes sense to ask again. */
  retry_after_seconds: z.int().optional(),
});
export type RefusedInvocation = z.infer<typeof refusedInvocation>;
