import * as z from 'zod';
import { type AttemptResult, FAILURE_CODES } from './delivery-record.ts';
import { type RulesOf, wholeNumber } from './fields.ts';

/** An entity whose stored fields these schemas describe. They have no limits, so that what was saved under other limits is still read. */
export type Stored<Fields extends z.core.$ZodLooseShape> = Readonly<z.output<z.ZodObject<Fields>>>;

export const time = z.string().meta({ description: 'ISO 8601, UTC', format: 'date-time' });
export const version = wholeNumber(1).describe('Increases by one with every save');
/** What every assistant and Action has. A save is refused unless it names the current version. */
export const SAVED = { created_at: time, updated_at: time, version };

export const deliveryError = z.object({ code: z.enum(FAILURE_CODES), message: z.string() });
/** What the outcome of an attempt decides of its record, as a message or an answer carries it. */
export const ATTEMPT_RESULT = {
  status: z.int().nullable(),
  response_excerpt: z.string().nullable().describe('First 2000 characters'),
  latency_ms: z.int().nullable(),
  success: z.boolean(),
  error: deliveryError.nullable(),
} satisfies RulesOf<AttemptResult>;
