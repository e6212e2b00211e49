import type * as z from 'zod';
import type { FormAction, FormField } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { exceedsCharacters, type JsonObject, truncateCharacters } from '../../contract/fields.ts';
import {
  FORM_KEY_MAX_CHARACTERS,
  FORM_LIST_ITEM_MAX_CHARACTERS,
  FORM_LIST_MAX_ITEMS,
  FORM_STRING_MAX_CHARACTERS,
  FORM_SUBMISSIONS_PER_HOUR,
  FORM_SUBMISSIONS_PER_MINUTE,
} from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { formSubmitRequest, identifier } from '../../contract/widget.ts';
import { admitOrigin, admitWidget, type IdentifiedWidget } from '../auth/authenticate-widget.ts';
import { ADDRESS_COUNTERS } from '../auth/ip-addresses.ts';
import type {
  Context,
  Conversations,
  Counters,
  FormBody,
  Submission,
  SubmissionIds,
  SubmissionKey,
} from '../context.ts';
import { belongsTo } from '../conversations/conversations.ts';
import { callActionOnce } from '../delivery/single-attempt.ts';
import type { Invocation } from '../facts.ts';
import { inputOf, Refusal } from '../refusal.ts';

type FormInput = z.output<typeof formSubmitRequest>;

export type SubmitFormRequest = {
  readonly widget: IdentifiedWidget;
  readonly siteId: string;
  readonly slug: string;
  readonly readBody: () => unknown;
};

type ForwardContext = Context<'conversations' | 'escalate' | 'openSigningSecret' | 'send' | 'deliveryLog'>;

/**
 * Handles a form submission (spec "POST /api/widgets/sites/<site_id>/forms/<slug>/submit"): admits the widget, checks form, conversation and
 * limits, cleans the values and sends them once, signed, to the endpoint and to the escalation channels. The submission is accepted when
 * the endpoint or a channel accepts it. A submission with the `client_key` of an accepted one is not sent again.
 * @throws Refusal; 502 when neither the endpoint nor a channel accepted
 */
export async function submitForm(
  request: SubmitFormRequest,
  context: ForwardContext & Context<'configuration' | 'counters'>,
  invocation: Invocation,
): Promise<PublicAnswer<'submitForm'>> {
  const assistant = admit(request.widget, request.siteId);
  const input = inputOf(formSubmitRequest, request.readBody());
  const now = invocation.now();
  const { conversation_id, client_key } = input;
  const key =
    client_key == null ? undefined : { siteId: request.siteId, conversationId: conversation_id, clientKey: client_key };
  const { form, earlier } = await admittedForm(request, conversation_id, key, now, context);
  // A repeat uses up nothing that other visitors need.
  if (earlier?.formId === form.action_id) return { success: true, submission_id: earlier.submissionId };
  if (earlier !== undefined) throw new Refusal('client_key_reused');
  requireFields(form, input.values);
  // Counted after the checks, so that what they refuse uses up nothing that all visitors share.
  await countAgainstAssistant(assistant, now, context.counters);
  const ids = { formId: form.action_id, submissionId: invocation.newId() };
  const { kind, submissionId: submission_id } = await claimSubmission(key, ids, now, context.conversations);
  if (kind === 'claimed') {
    const body: FormBody = { values: cleanFormValues(input.values), conversation_id, submission_id };
    const accepted = await forwardAndSettle({ assistant, form, body }, key, context, invocation);
    if (!accepted) throw new Refusal('submission_failed', { submissionId: submission_id });
  }
  return { success: true, submission_id };
}

/** Admits the widget of this site. With a token, which skips Allowed Domains, the request must come from a page on the Domain: the spec asks for an allowed origin. */
function admit(widget: IdentifiedWidget, siteId: string): Assistant {
  const assistant = admitWidget(widget);
  if (assistant.site_id !== siteId) throw new Refusal('site_mismatch');
  if (widget.claims !== undefined) admitOrigin(widget.credentials, [assistant.domain]);
  return assistant;
}

/** Counts the submission against the limit of its address, and finds its form, its conversation and an earlier one with its key. @throws Refusal 429, 404, 400 */
async function admittedForm(
  { siteId, slug, widget: { credentials, claims } }: SubmitFormRequest,
  conversationId: string,
  key: SubmissionKey | undefined,
  now: Date,
  { configuration, conversations, counters }: Context<'configuration' | 'conversations' | 'counters'>,
) {
  const [perMinute, form, conversation, earlier] = await Promise.all([
    counters.hitPerMinute(ADDRESS_COUNTERS.formSubmit(siteId, credentials.ip), FORM_SUBMISSIONS_PER_MINUTE, now),
    identifier.safeParse(slug).success ? configuration.findForm(siteId, slug) : undefined,
    conversations.findConversation(siteId, conversationId),
    key && conversations.acceptedSubmission(key),
  ]);
  if (!perMinute.isAllowed) throw new Refusal('rate_limit_exceeded', perMinute);
  if (!form?.enabled) throw new Refusal('form_not_found');
  if (!belongsTo(conversation, claims?.sub ?? null)) throw new Refusal('conversation_unknown');
  return { form, earlier };
}

function requireFields({ form_fields }: FormAction, values: FormInput['values']): void {
  const missingFields = missingRequiredFields(form_fields, values);
  const fields = missingFields.map(({ key }) => ({ field: `values.${key}`, problem: 'is required' }));
  if (fields.length > 0) throw new Refusal('value_required', { fields });
}

/** Counts a submission against the hourly limit of the assistant, which all visitors share. @throws Refusal 429 */
async function countAgainstAssistant(assistant: Assistant, now: Date, counters: Counters): Promise<void> {
  const { site_id, form_submissions_per_hour = FORM_SUBMISSIONS_PER_HOUR } = assistant;
  const perHour = await counters.hitPerHour(`forms#${site_id}`, form_submissions_per_hour, now);
  if (!perHour.isAllowed) throw new Refusal('form_limit_exceeded', perHour);
}

/** Claims the key of a submission, so that concurrent submissions with one key are sent once. @throws Refusal 409 */
async function claimSubmission(
  key: SubmissionKey | undefined,
  ids: SubmissionIds,
  now: Date,
  conversations: Conversations,
) {
  if (key === undefined) return { kind: 'claimed', submissionId: ids.submissionId } as const;
  const claim = await conversations.claimSubmission(key, ids, now);
  if (claim.kind === 'other_form') throw new Refusal('client_key_reused');
  if (claim.kind === 'in_progress') throw new Refusal('submission_in_progress');
  return claim;
}

/**
 * Forwards a submission and settles its key, also after an internal error, so that a submission which was not accepted can be sent again
 * immediately. When the key cannot be settled, the caller still gets the true result. A retry with the same key has the same submission id.
 */
async function forwardAndSettle(
  submission: Submission,
  key: SubmissionKey | undefined,
  context: ForwardContext,
  invocation: Invocation,
): Promise<boolean> {
  const { submission_id } = submission.body;
  let isAccepted = false;
  try {
    isAccepted = await forward(submission, context, invocation);
    return isAccepted;
  } finally {
    if (key !== undefined) {
      await context.conversations
        .settleSubmission(key, isAccepted)
        .catch((cause: unknown) => invocation.reportFact({ kind: 'submission_unsettled', submission_id, cause }));
    }
  }
}

/** Sends a submission to the endpoint and to the escalation channels at the same time. Returns true when one of them accepts. */
async function forward(submission: Submission, context: ForwardContext, invocation: Invocation): Promise<boolean> {
  const { form, body } = submission;
  const { submission_id } = body;
  const faults: unknown[] = [];
  const fault = (to: 'endpoint' | 'escalation', cause: unknown) => {
    invocation.reportFact({ kind: 'forward_failed', submission_id, to, cause });
    faults.push(cause);
  };
  const [endpoint = false, escalation = 'failed'] = await Promise.all([
    callActionOnce(form, { body, triggerRef: submission_id, reference: submission_id }, context, invocation).then(
      ({ answer }) => answer.success,
      (cause: unknown) => fault('endpoint', cause),
    ),
    context.escalate(submission, invocation).catch((cause: unknown) => fault('escalation', cause)),
  ]);
  invocation.reportFact({ kind: 'form_forwarded', submission_id, endpoint, escalation });
  if (endpoint || escalation === 'accepted') return true;
  // A fault of the service is answered with 500, not with the 502 of an endpoint or a topic that refuses.
  if (faults.length > 0) throw faults[0];
  return false;
}

type CleanValue = FormBody['values'][string];

/**
 * Returns the values that are sent to the endpoint (spec "Limits", form rows). Drops keys over 100 characters, strings over 5000
 * characters, lists over 50 items and values of other types. List items become strings of at most 500 characters. White space around a text
 * is removed, and a text that is then empty is left out: as the widget does, so that a field without a value has one form.
 */
export function cleanFormValues(values: JsonObject): Record<string, CleanValue> {
  const clean: [string, CleanValue][] = [];
  for (const [key, value] of Object.entries(values)) {
    if (exceedsCharacters(key, FORM_KEY_MAX_CHARACTERS)) continue;
    const cleanedValue = cleanValue(value);
    if (cleanedValue !== undefined) clean.push([key, cleanedValue]);
  }
  // fromEntries defines own properties, so that a key called __proto__ stays data.
  return Object.fromEntries(clean);
}

function cleanValue(value: unknown): CleanValue | undefined {
  if (typeof value === 'boolean' || typeof value === 'number' || JSON.isRawJSON(value)) return value;
  if (typeof value === 'string')
    return exceedsCharacters(value, FORM_STRING_MAX_CHARACTERS) ? undefined : value.trim() || undefined;
  if (Array.isArray(value) && value.length <= FORM_LIST_MAX_ITEMS) return listOfText(value);
  return undefined;
}

/** Returns the items as text. JSON.stringify takes only some thousand levels: a list with a deeper item is dropped. */
function listOfText(items: readonly unknown[]): readonly string[] | undefined {
  try {
    const texts = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    return texts.map((text) => truncateCharacters(text, FORM_LIST_ITEM_MAX_CHARACTERS));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the Required fields that are missing or empty in the values as submitted, before they are cleaned. */
export function missingRequiredFields(fields: readonly FormField[], values: JsonObject): readonly FormField[] {
  return fields.filter((field) => field.required && (!Object.hasOwn(values, field.key) || isEmpty(values[field.key])));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
