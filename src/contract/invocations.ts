import * as z from 'zod';
import { REFUSAL_CODES } from './errors.ts';

/** The result of a directly invoked function that refuses the request (its shape is open in the spec). */
export const refusedInvocation = z.object({
  success: z.literal(false),
  code: z.literal(REFUSAL_CODES),
  /** HTTP status code. */
  status: z.int(),
  error: z.string(),
  /** Dotted path of the field that is wrong. */
  field: z.string().optional(),
  /** Whole seconds after which the caller can try again. */
  retry_after_seconds: z.int().optional(),
});
export type RefusedInvocation = z.infer<typeof refusedInvocation>;
