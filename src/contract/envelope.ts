import * as z from 'zod';
import { EVENT_NAMES } from './events.ts';
import { jsonObject } from './json.ts';

/** Body of an Event Action request (spec "Event envelope"). */
export const envelope = z.object({
  /** UUID, new for each event. Receivers use it as the idempotency key. */
  id: z.string().min(1),
  event: z.enum(EVENT_NAMES),
  /** ISO 8601, UTC. */
  timestamp: z.string(),
  data: jsonObject,
  site_id: z.string(),
  org_id: z.string(),
});
export type Envelope = z.infer<typeof envelope>;
