import type * as z from 'zod';
import { formsInOrder } from '../../contract/action-kinds.ts';
import type { FormAction, Offered } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { REFERRER_MAX_CHARACTERS } from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { type Conversation, type FormPanel, initRequest } from '../../contract/widget.ts';
import { admitWidget, type IdentifiedWidget } from '../auth/authenticate-widget.ts';
import type { Context, Conversations } from '../context.ts';
import type { Invocation } from '../facts.ts';
import { inputOf, Refusal } from '../refusal.ts';
import { anonymousVisitorId, belongsTo, userVisitorId } from './conversations.ts';

type InitInput = z.output<typeof initRequest>;

/**
 * Handles widget init (spec "POST /api/widget/init"): authenticates, counts the request towards the hourly limit, and begins a
 * conversation or resumes a known one. Only a new conversation puts conversation.started on the bus. With `begin_conversation: false`
 * no conversation begins: the widget sends it on each page view and begins a conversation only when the visitor opens the panel.
 * @throws Refusal
 */
export async function initWidget(
  { widget, readBody }: { readonly widget: IdentifiedWidget; readonly readBody: () => unknown },
  context: Context<'configuration' | 'conversations' | 'counters' | 'publish'>,
  invocation: Invocation,
): Promise<PublicAnswer<'initWidget'>> {
  const assistant = admitWidget(widget);
  const input = inputOf(initRequest, readBody());
  const now = invocation.now();
  const [perHour, resumedConversation, forms] = await Promise.all([
    context.counters.hitPerHour(assistant.site_id, assistant.hourly_rate_limit, now),
    resumable(input, assistant, widget, context.conversations),
    context.configuration.formsOf(assistant.site_id),
  ]);
  for (const { action_id, cause } of forms.unreadable)
    invocation.reportFact({ kind: 'action_unreadable', action_id, cause });
  if (!perHour.isAllowed) throw new Refusal('rate_limit_exceeded', perHour);
  const visitor = visitorId(widget, resumedConversation, input, invocation);
  // After the count, so that a request over the limit writes nothing else.
  const conversation =
    resumedConversation === undefined && input.begin_conversation !== false
      ? await beginConversation(assistant, widget, { visitor, now, referrer: input.referrer }, context, invocation)
      : resumedConversation;
  return {
    success: true,
    site_id: assistant.site_id,
    session_id: widget.claims?.jti ?? conversation?.session_id ?? null,
    visitor_id: visitor,
    conversation_id: conversation?.conversation_id ?? null,
    forms: formsInOrder(forms.actions, assistant.form_order).map(formPanel),
  };
}

/** Returns the conversation that the request names, when it belongs to the user of the request. Otherwise a new one may begin. */
async function resumable(
  { conversation_id }: InitInput,
  { site_id }: Assistant,
  { claims }: IdentifiedWidget,
  { findConversation }: Conversations,
): Promise<Conversation | undefined> {
  if (conversation_id == null) return undefined;
  const namedConversation = await findConversation(site_id, conversation_id);
  return belongsTo(namedConversation, claims?.sub ?? null) ? namedConversation : undefined;
}

/** Returns the id of the visitor: that of the user of the token, of the resumed conversation, of an earlier visit, or a new one. */
function visitorId(
  { claims }: IdentifiedWidget,
  resumedConversation: Conversation | undefined,
  input: InitInput,
  { newId }: Invocation,
): string {
  if (claims !== undefined) return userVisitorId(claims.sub);
  return resumedConversation?.visitor_id ?? anonymousVisitorId(input.visitor_id ?? undefined, newId);
}

async function beginConversation(
  { org_id, site_id }: Assistant,
  { claims }: IdentifiedWidget,
  visit: { readonly visitor: string; readonly now: Date; readonly referrer: InitInput['referrer'] },
  { conversations, publish }: Context<'conversations' | 'publish'>,
  { newId }: Invocation,
): Promise<Conversation> {
  const conversation: Conversation = {
    site_id,
    conversation_id: newId(),
    session_id: claims?.jti ?? newId(),
    visitor_id: visit.visitor,
    user_id: claims?.sub ?? null,
    started_at: visit.now.toISOString(),
  };
  await conversations.saveConversation(conversation);
  const { conversation_id, session_id, visitor_id } = conversation;
  // A query may have what only the page before may know, such as a reset token. The widget sends none; another caller may.
  const address = visit.referrer?.replace(/[?#].*/s, '') ?? null;
  const referrer = address && truncateCharacters(address, REFERRER_MAX_CHARACTERS);
  const data = { conversation_id, session_id, visitor_id, referrer };
  await publish({ event: 'conversation.started', org_id, site_id, data });
  return conversation;
}

/** Returns what the widget shows of a form. Fields are listed one by one, because newer code may have stored more. */
const formPanel = ({ slug, name, form_fields }: Offered<FormAction>): FormPanel => ({
  slug,
  name,
  fields: form_fields.map(({ key, label, type, required }) => ({ key, label, type, required })),
});
