import * as z from 'zod';

const scheduled = z.object({ 'detail-type': z.literal('Scheduled Event') });

/** Whether a function was invoked by its schedule, and not by hand. */
export const isScheduled = (event: unknown): boolean => scheduled.safeParse(event).success;
