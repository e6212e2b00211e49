import * as z from 'zod';
import { INTERNAL_ERROR, REFUSAL_CODES } from './errors.ts';

/** Body of every error response of the service over HTTP. Its shape is open in the spec (docs/open-points.md). */
export const errorResponse = z
  .object({
    success: z.literal(false),
    code: z.literal([...REFUSAL_CODES, INTERNAL_ERROR.code]).describe('Stable; later versions may add codes'),
    error: z.string().describe('The message'),
    field: z.string().optional().describe('The first field that is wrong, as a path with dots'),
    fields: z
      .array(z.object({ field: z.string(), problem: z.string() }))
      .optional()
      .describe('Every field that is wrong'),
  })
  .meta({ id: 'Error' });
export type ErrorResponse = z.infer<typeof errorResponse>;
