import * as z from 'zod';
import { EVENT_NAMES } from './events.ts';
import { jsonObject, truncateCharacters } from './fields.ts';
import { EVENT_ATTEMPTS } from './limits.ts';
import { ATTEMPT_RESULT } from './stored.ts';

/**
 * Writes a value as JSON that a queue accepts. SQS takes only the characters of XML 1.0. JSON.stringify already escapes control characters
 * and unpaired surrogates; this function also escapes U+FFFE and U+FFFF, which stand only in strings. Every parser reads the same value.
 * @throws RangeError for a value that is nested too deeply; TypeError for a value that JSON does not have
 */
export const messageText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

/** Where EventBridge finds the message group of an event: SQS fair queues delay no organization for the events of another. */
export const EVENT_GROUP_PATH = '$.detail.org_id';

/** An id that SQS accepts as a message group id: 1 to 128 printable ASCII characters without spaces. */
export const groupId = z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 printable ASCII characters');

/** An event of the platform, with its name as `detail-type`. Without `site_id` it belongs to no assistant. */
export const busEvent = z.object({
  id: z.string().min(1),
  'detail-type': z.enum(EVENT_NAMES),
  time: z.string(),
  detail: z.object({
    org_id: groupId,
    site_id: groupId.nullish(),
    data: jsonObject,
    /** Version of the shape of `detail`. */
    version: z.literal(1).optional(),
  }),
});
export type BusEvent = z.infer<typeof busEvent>;

/** A message of the events queue: whatever EventBridge has put there. The event-router tells why it is no BusEvent. */
export const eventMessage = z.unknown();

/** The name and version that an event gives itself, whether or not the rest of it is valid. */
const claimedEvent = z.object({ 'detail-type': z.string(), detail: z.object({ version: z.number().default(1) }) });

/** A field of a malformed event as far as a log line shows it: EventBridge accepts 256 characters of a source, and 128 of a name. */
const reportedText = z
  .string()
  .transform((text) => truncateCharacters(text, 256))
  .optional()
  .catch(undefined);

/** What the operator learns of an event that is dropped. Of an event of no known name, the rule of the bus passes on nothing else (lib/messaging.ts). */
export const droppedEvent = z
  .object({ id: reportedText, 'detail-type': reportedText, source: reportedText, account: reportedText })
  .catch({});

/**
 * Returns whether an event that is not a valid BusEvent may be valid for newer code: its version is newer, or its name is not in this
 * catalog, so that only a newer EventBridge rule can have passed it on. After a rollback such an event must be kept; a malformed event
 * is dropped.
 */
export function isNewerEvent(body: unknown): boolean {
  const { success, data } = claimedEvent.safeParse(body);
  return success && (data.detail.version > 1 || !EVENT_NAMES.some((name) => name === data['detail-type']));
}

/** A message of a queue, and the id that SQS gave it. */
export type Received<Message> = { readonly message: Message; readonly messageId: string };

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

/**
 * A message of the deliveries queue: one attempt of one Event delivery. Its idempotency key is envelope id, Action, attempt and
 * replay. The envelope is nested JSON, because an escaped string would double its size.
 *
 * The version increases when older code would handle the message wrongly. Older code refuses a newer version: the message becomes
 * visible again until newer code runs, or ends in the dead-letter queue. A field that older code can ignore needs no new version.
 */
export const deliveryMessage = z.object({
  // A literal's issue would name the expected value under `values`, a field that no log line may have.
  version: z.number().refine((version) => version === 1, 'is of newer code'),
  action_id: z.string().min(1),
  attempt: z.int().min(1).max(EVENT_ATTEMPTS),
  envelope,
  /** Id of a replay, which has its own attempts, separate from those of the first delivery. */
  replay: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  /** The result of an attempt whose record could not be completed. Only the record is completed; nothing is sent. */
  unrecorded_result: z.object({ /** False for a GET. */ with_body: z.boolean(), ...ATTEMPT_RESULT }).optional(),
});
export type DeliveryMessage = z.infer<typeof deliveryMessage>;

/** Why no message can carry an event to an Action: its size, or the depth of its data (EVENT_DATA_MAX_LEVELS). */
export type NotCarried = 'too_large' | 'too_deep';

/** Seconds after which an unfinished claim counts as cut off: between the timeouts of the dispatcher and its queue. */
export const CUT_OFF_SECONDS = 20;
