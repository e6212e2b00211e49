import * as z from 'zod';
import { wholeNumber } from './fields.ts';

/** An entity whose stored fields these schemas describe. They have no limits, so that what was saved under other limits is still read. */
export type Stored<Fields extends z.core.$ZodLooseShape> = Readonly<z.output<z.ZodObject<Fields>>>;

export const time = z.string().meta({ description: 'ISO 8601, UTC', format: 'date-time' });
export const version = wholeNumber(1).describe('Increases by one with every save');
/** What every assistant and Action has. A save is refused unless it names the current version. */
export const SAVED = { created_at: time, updated_at: time, version };
