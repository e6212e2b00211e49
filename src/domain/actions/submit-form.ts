import type { FormAction } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { FORM_SUBMISSIONS_PER_HOUR, FORM_SUBMISSIONS_PER_MINUTE } from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { formSubmitRequest, identifier } from '../../contract/widget.ts';
import { admitOrigin, admitWidget, type IdentifiedWidget } from '../auth/authenticate-widget.ts';
import { ADDRESS_COUNTERS } from '../auth/ip-addresses.ts';
import { belongsTo, type FindConversation } from '../conversations/conversations.ts';
import { attemptOnce, type SingleAttemptPorts } from '../delivery/single-attempt.ts';
import type { HitPerHour, HitPerMinute } from '../rate-limits.ts';
import { inputOf, Refusal, refusedField } from '../refusal.ts';
import type { NewId } from '../sources.ts';
import { type CleanValue, cleanFormValues, missingRequiredField } from './form-cleaning.ts';

/** Body of a Form request to the endpoint. The escalation channels receive the same (spec "Form body"). */
export type FormBody = {
  readonly values: Record<string, CleanValue>;
  readonly conversation_id: string;
  readonly submission_id: string;
};

/** Delivers a submission to the assistant's escalation channels. `none` means that it has no channel. */
export type EscalationChannel = (submission: {
  readonly assistant: Assistant;
  readonly form: FormAction;
  readonly body: FormBody;
}) => Promise<'accepted' | 'failed' | 'none'>;

/** The state of a submission with a `client_key`. */
export type SubmissionClaim =
  | { readonly kind: 'claimed'; readonly submissionId: string }
  | { readonly kind: 'accepted'; readonly submissionId: string }
  | { readonly kind: 'in_progress' }
  /** The key belongs to a submission of another form. */
  | { readonly kind: 'other_form' };

export type SubmissionKey = {
  readonly siteId: string;
  readonly conversationId: string;
  readonly clientKey: string;
  /** The form that the key's submission is of. A key is of one form. */
  readonly formId: string;
};

export type SubmitFormPorts = SingleAttemptPorts & {
  readonly findForm: (siteId: string, slug: string) => Promise<FormAction | undefined>;
  readonly findConversation: FindConversation;
  readonly hitPerMinute: HitPerMinute;
  readonly hitPerHour: HitPerHour;
  /** Claims the key for `submissionId`, or for the id that an earlier, failed submission with the same key had. */
  readonly claimSubmission: (key: SubmissionKey, submissionId: string, now: Date) => Promise<SubmissionClaim>;
  readonly settleSubmission: (key: SubmissionKey, accepted: boolean) => Promise<void>;
  readonly settleFailed: (submissionId: string, cause: unknown) => void;
  readonly escalate: EscalationChannel;
  /** Reports the outcome of the endpoint and of the escalation channels to the operator. The caller learns only whether one accepted. */
  readonly forwarded: (outcomes: {
    readonly submissionId: string;
    readonly endpoint: boolean;
    readonly escalation: 'accepted' | 'failed' | 'none';
  }) => void;
  readonly newId: NewId;
};

export type SubmitFormRequest = {
  readonly siteId: string;
  readonly slug: string;
  readonly widget: IdentifiedWidget;
  readonly readBody: () => unknown;
};

/**
 * Handles a form submission (spec "POST /api/widgets/sites/<site_id>/forms/<slug>/submit"): cleans the values and sends them once, signed,
 * to the endpoint and to the escalation channels. The submission is accepted when the endpoint or a channel accepts it.
 * @throws Refusal; 502 when neither the endpoint nor a channel accepted
 */
export async function submitForm(
  request: SubmitFormRequest,
  ports: SubmitFormPorts,
): Promise<PublicAnswer<'submitForm'>> {
  const assistant = admit(request);
  const userId = request.widget.claims?.sub ?? null;
  const siteId = assistant.site_id;
  const { conversation_id, values, client_key } = inputOf(formSubmitRequest, request.readBody());
  const now = ports.now();
  const [perMinute, form, conversation] = await Promise.all([
    ports.hitPerMinute(
      ADDRESS_COUNTERS.formSubmit(siteId, request.widget.credentials.ip),
      FORM_SUBMISSIONS_PER_MINUTE,
      now,
    ),
    identifier.safeParse(request.slug).success ? ports.findForm(siteId, request.slug) : undefined,
    ports.findConversation(siteId, conversation_id),
  ]);
  if (!perMinute.allowed) throw new Refusal('rate_limit_exceeded', perMinute);
  if (!form?.enabled) throw new Refusal('form_not_found');
  if (!belongsTo(conversation, userId)) throw new Refusal('conversation_unknown', { field: 'conversation_id' });
  const missing = missingRequiredField(form.form_fields, values);
  if (missing !== undefined) throw refusedField('value_required', `values.${missing.key}`, 'is required');

  // Counted last, so that only submissions which would be sent use up what all visitors share.
  const { form_submissions_per_hour = FORM_SUBMISSIONS_PER_HOUR } = assistant;
  const perHour = await ports.hitPerHour(`forms#${siteId}`, form_submissions_per_hour, now);
  if (!perHour.allowed) throw new Refusal('form_limit_exceeded', perHour);

  const key =
    client_key == null
      ? undefined
      : { siteId, conversationId: conversation_id, clientKey: client_key, formId: form.action_id };
  const claim: SubmissionClaim =
    key === undefined
      ? { kind: 'claimed', submissionId: ports.newId() }
      : await ports.claimSubmission(key, ports.newId(), now);
  if (claim.kind === 'other_form') throw new Refusal('client_key_reused', { field: 'client_key' });
  if (claim.kind === 'in_progress') throw new Refusal('submission_in_progress', { field: 'client_key' });
  if (claim.kind === 'accepted') return { success: true, submission_id: claim.submissionId };

  const body: FormBody = { values: cleanFormValues(values), conversation_id, submission_id: claim.submissionId };
  let accepted = false;
  try {
    accepted = await forward({ assistant, form, body }, ports);
  } finally {
    // Also after an internal error, so that a submission which was not accepted can be sent again immediately.
    // When the key cannot be settled, the caller still gets the true result. A retry with the same key has the same submission id.
    if (key !== undefined) {
      await ports
        .settleSubmission(key, accepted)
        .catch((cause: unknown) => ports.settleFailed(claim.submissionId, cause));
    }
  }
  if (!accepted) throw new Refusal('submission_failed');
  return { success: true, submission_id: claim.submissionId };
}

/** Admits the widget of this site. In Session Signed, the request must also come from a page on the assistant's Domain. */
function admit({ widget, siteId }: SubmitFormRequest): Assistant {
  const assistant = admitWidget(widget);
  if (assistant.site_id !== siteId) throw new Refusal('site_mismatch');
  if (widget.claims !== undefined) admitOrigin(widget.credentials, [assistant.domain]);
  return assistant;
}

/** Sends a submission to the endpoint and to the escalation channels at the same time. Returns true when one of them accepts. */
async function forward(submission: Parameters<EscalationChannel>[0], ports: SubmitFormPorts): Promise<boolean> {
  const { form, body } = submission;
  const submissionId = body.submission_id;
  const [endpoint, escalation] = await Promise.allSettled([
    attemptOnce(form, { body, triggerRef: submissionId, reference: submissionId }, ports),
    ports.escalate(submission),
  ]);
  const outcomes = {
    submissionId,
    endpoint: endpoint.status === 'fulfilled' && endpoint.value.result.success,
    escalation: escalation.status === 'fulfilled' ? escalation.value : ('failed' as const),
  };
  ports.forwarded(outcomes);
  if (outcomes.endpoint || outcomes.escalation === 'accepted') return true;
  // An internal error is answered with 500, not with the 502 of an endpoint that refuses.
  if (endpoint.status === 'rejected') throw endpoint.reason;
  if (escalation.status === 'rejected') throw escalation.reason;
  return false;
}
