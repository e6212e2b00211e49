import * as z from 'zod';
import type { FormField } from './actions.ts';
import { jsonObject } from './json.ts';

/** Requests and responses of init and form submit. Their shapes are open in the spec (docs/open-points.md). */

/** An id that is safe in a header and in a storage key. */
export const identifier = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -');

export const initRequest = z.object({
  conversation_id: identifier.nullish(),
  visitor_id: identifier.nullish(),
  referrer: z.string().nullish(),
  /** False only authenticates and returns the forms. It begins no conversation, but a known `conversation_id` is still resumed. */
  begin_conversation: z.boolean().nullish(),
});

export type FormPanel = { readonly slug: string; readonly name: string; readonly fields: readonly FormField[] };

export type InitResponse = {
  readonly success: true;
  readonly site_id: string;
  /** Without a session token, this is the conversation's session id: null when there is no conversation. */
  readonly session_id: string | null;
  readonly visitor_id: string;
  /** Null when no conversation was begun or resumed. */
  readonly conversation_id: string | null;
  readonly forms: readonly FormPanel[];
};

export const formSubmitRequest = z.object({
  conversation_id: identifier,
  values: jsonObject,
  /** Chosen by the widget for each submission, so that a repeated request does not submit twice. */
  client_key: identifier.nullish(),
});

export type FormSubmitResponse = { readonly success: true; readonly submission_id: string };

export type ErrorResponse = { readonly success: false; readonly error: string };
