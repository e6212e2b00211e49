import * as z from 'zod';
import { FAILURE_CODES } from './deliveries.ts';
import { envelope } from './envelope.ts';
import { EVENT_NAMES } from './events.ts';
import { jsonObject } from './json.ts';

/**
 * Message attribute of a dead letter that was moved back: the id of the message that died. It stands for the message's own, so
 * that the claim on an attempt knows it again.
 */
export const ORIGINAL_MESSAGE_ID = 'va-wave-original-message-id';

/** Groups messages of one organization; so it is what SQS takes as a group: printable ASCII without spaces, 128 at most. */
export const groupId = z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 printable ASCII characters');

/** What the platform puts on the bus: `detail-type` is the event's name. Without `site_id` it is the organization's. */
export const busEvent = z.object({
  id: z.string().min(1),
  'detail-type': z.enum(EVENT_NAMES),
  time: z.string(),
  detail: z.object({
    org_id: groupId,
    site_id: z.string().min(1).nullish(),
    data: jsonObject,
    /** Of the shape of `detail`. */
    version: z.literal(1).optional(),
  }),
});
export type BusEvent = z.infer<typeof busEvent>;

const claimedEvent = z.object({ 'detail-type': z.string(), detail: z.object({ version: z.number().default(1) }) });

/**
 * Whether an event that is no BusEvent may be one to newer code: a name that this catalog does not have, which only a newer rule
 * lets pass, or a newer version. It must not be dropped after a rollback, as a malformed one is.
 */
export function isNewerEvent(body: unknown): boolean {
  const { success, data } = claimedEvent.safeParse(body);
  return success && (data.detail.version > 1 || !EVENT_NAMES.some((name) => name === data['detail-type']));
}

const replay = z.string().regex(/^[0-9a-f]{12}$/);
const attemptOfDelivery = { action_id: z.string().min(1), attempt: z.int().min(1).max(3), envelope };

/**
 * One attempt of one Event delivery, as it travels on the deliveries queue. Idempotency key: envelope id, Action, attempt, and the
 * replay. The envelope is nested JSON, not an escaped string, which would double its size.
 *
 * A version is raised when older code would do the wrong thing with the message, and the older code then refuses it: the message
 * comes back until newer code runs, or waits among the dead letters. An addition that older code may overlook raises nothing.
 */
export const deliveryMessage = z.discriminatedUnion('version', [
  z.object({ version: z.literal(1), ...attemptOfDelivery }),
  /** An event that the operator replays: attempts of their own, beside those of the first delivery. */
  z.object({ version: z.literal(2), ...attemptOfDelivery, replay }),
  /** An attempt that was made, and whose record could not be completed: that is what is left to do. */
  z.object({
    version: z.literal(3),
    ...attemptOfDelivery,
    replay: replay.optional(),
    made: z.object({
      /** The message that carried the attempt. */
      message_id: z.string(),
      started_at: z.string(),
      /** False for a GET. */
      with_body: z.boolean(),
      success: z.boolean(),
      status: z.number().nullable(),
      response_excerpt: z.string().nullable(),
      latency_ms: z.number().nullable(),
      error: z.object({ code: z.enum(FAILURE_CODES), message: z.string() }).nullable(),
    }),
  }),
]);
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/**
 * Seconds after which an attempt that was claimed and never finished was cut off by a crash. More than the dispatcher's timeout, and less
 * than the visibility timeout of its queue.
 */
export const CUT_OFF_SECONDS = 20;
