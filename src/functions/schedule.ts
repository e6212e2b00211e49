import * as z from 'zod';

const scheduled = z.object({ 'detail-type': z.literal('Scheduled Event') });

/** Returns whether the schedule invoked the function; false for a manual invocation. */
export const isScheduled = (event: unknown): boolean => scheduled.safeParse(event).success;
