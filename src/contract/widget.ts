import * as z from 'zod';
import { SHOWN_ACTION } from './action-shape.ts';
import { jsonObject } from './fields.ts';
import { type Stored, time } from './stored.ts';

/** Requests and responses of init and form submit. Their shapes are open in the spec (docs/open-points.md). */

export const IDENTIFIER_MAX_CHARACTERS = 128;
/** An id that is safe in a header and in a storage key. */
export const identifier = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{1,${IDENTIFIER_MAX_CHARACTERS}}$`),
    `must be 1 to ${IDENTIFIER_MAX_CHARACTERS} letters, digits, _ or -`,
  );

export const initRequest = z.object({
  conversation_id: identifier.nullish().describe('The conversation to resume'),
  visitor_id: identifier.nullish().describe('As an earlier answer named it; ignored with a session token'),
  referrer: z.string().nullish().describe('Address from which the visitor came to the page'),
  begin_conversation: z
    .boolean()
    .nullish()
    .describe(
      'False only authenticates and resumes: no conversation begins. Otherwise one begins when none is resumed',
    ),
});

/** A response has no limits, so that forms which were saved under other limits are still shown. */
const formPanel = z
  .object({ slug: z.string(), name: z.string(), fields: SHOWN_ACTION.Form.form_fields })
  .meta({ id: 'FormPanel' });
export type FormPanel = z.infer<typeof formPanel>;

export const initResponse = z.object({
  success: z.literal(true),
  site_id: z.string(),
  session_id: z
    .string()
    .nullable()
    .describe("The token's session; without a token that of the conversation, so null when there is none"),
  visitor_id: z.string(),
  conversation_id: z.string().nullable().describe('Null when no conversation was begun or resumed'),
  forms: z.array(formPanel),
});
export type InitResponse = z.infer<typeof initResponse>;

export const formSubmitRequest = z.object({
  conversation_id: identifier,
  values: jsonObject.describe('Value by field key'),
  client_key: identifier
    .nullish()
    .describe('Chosen by the caller for each submission of a form, so that a repeated request does not submit twice'),
});

/** A stored conversation that this service created. Only known ids are accepted, so that a visitor cannot write into another conversation. */
export const CONVERSATION = {
  site_id: z.string(),
  conversation_id: z.string(),
  session_id: z.string(),
  visitor_id: z.string(),
  /** User id of the session token with which it began; null when it began without one. */
  user_id: z.string().nullable(),
  started_at: time,
};
export type Conversation = Stored<typeof CONVERSATION>;

export const formSubmitResponse = z.object({ success: z.literal(true), submission_id: z.uuid() });
