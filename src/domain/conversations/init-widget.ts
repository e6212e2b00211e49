import type * as z from 'zod';
import { formsInOrder } from '../../contract/action-kinds.ts';
import type { FormAction, Offered } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { truncateCharacters } from '../../contract/fields.ts';
import { REFERRER_MAX_CHARACTERS } from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { type FormPanel, initRequest } from '../../contract/widget.ts';
import {
  admitWidget,
  claimedSite,
  type IdentifiedWidget,
  identifyWidget,
  type WidgetAuthenticationPorts,
  type WidgetCredentials,
} from '../auth/authenticate-widget.ts';
import type { Counters } from '../counters.ts';
import type { PublishEvent } from '../events/put-event.ts';
import { inputOf, Refusal } from '../refusal.ts';
import type { Clock, NewId } from '../sources.ts';
import {
  anonymousVisitorId,
  belongsTo,
  type Conversation,
  type FindConversation,
  userVisitorId,
} from './conversations.ts';

type InitInput = z.output<typeof initRequest>;

export type InitWidgetPorts = WidgetAuthenticationPorts & {
  readonly configuration: {
    /** Reads the assistant's enabled Form Actions. */
    readonly findForms: (siteId: string) => Promise<readonly Offered<FormAction>[]>;
  };
  readonly conversations: {
    readonly findConversation: FindConversation;
    readonly saveConversation: (conversation: Conversation) => Promise<void>;
  };
  readonly counters: Pick<Counters, 'hitPerHour'>;
  readonly publish: PublishEvent;
  /** Called as soon as the site is known, before the request can be refused. */
  readonly identified: (widget: IdentifiedWidget) => void;
  readonly now: Clock;
  readonly newId: NewId;
};

export type InitWidgetRequest = { readonly credentials: WidgetCredentials; readonly readBody: () => unknown };

/**
 * Handles widget init (spec "POST /api/widget/init"): authenticates, counts the request towards the hourly limit, and begins a
 * conversation or resumes a known one. Only a new conversation puts conversation.started on the bus. With `begin_conversation: false`
 * no conversation begins: the widget sends it on each page view and begins a conversation only when the visitor opens the panel.
 * @throws Refusal
 */
export async function initWidget(
  request: InitWidgetRequest,
  ports: InitWidgetPorts,
): Promise<PublicAnswer<'initWidget'>> {
  const [widget, named] = await Promise.all([
    identifyWidget(request.credentials, ports),
    settled(namedConversation(request, ports)),
  ]);
  ports.identified(widget);
  const assistant = admitWidget(widget);
  const input = inputOf(initRequest, request.readBody());
  const resumed = resumable(await named(), widget);
  const visitor = visitorId(widget, resumed, input, ports);
  const now = ports.now();
  const [perHour, forms] = await Promise.all([
    ports.counters.hitPerHour(assistant.site_id, assistant.hourly_rate_limit, now),
    ports.configuration.findForms(assistant.site_id),
  ]);
  if (!perHour.allowed) throw new Refusal('rate_limit_exceeded', perHour);
  // After the count, so that a request over the limit writes nothing else.
  const conversation =
    resumed === undefined && input.begin_conversation !== false
      ? await beginConversation(assistant, widget, { visitor, now, referrer: input.referrer }, ports)
      : resumed;
  return {
    success: true,
    site_id: assistant.site_id,
    session_id: widget.claims?.jti ?? conversation?.session_id ?? null,
    visitor_id: visitor,
    conversation_id: conversation?.conversation_id ?? null,
    forms: formsInOrder(forms, assistant.form_order).map(formPanel),
  };
}

/** Returns the conversation that the request names, when it belongs to the user of the request. */
const resumable = (named: Conversation | undefined, { claims }: IdentifiedWidget): Conversation | undefined =>
  belongsTo(named, claims?.sub ?? null) ? named : undefined;

function visitorId(
  { claims }: IdentifiedWidget,
  resumed: Conversation | undefined,
  input: InitInput,
  { newId }: InitWidgetPorts,
): string {
  if (claims !== undefined) return userVisitorId(claims.sub);
  return resumed?.visitor_id ?? anonymousVisitorId(input.visitor_id ?? undefined, newId);
}

/** Stores a new conversation and puts conversation.started on the bus. */
async function beginConversation(
  { org_id, site_id }: Assistant,
  { claims }: IdentifiedWidget,
  begun: { readonly visitor: string; readonly now: Date; readonly referrer: InitInput['referrer'] },
  { conversations, publish, newId }: InitWidgetPorts,
): Promise<Conversation> {
  const conversation: Conversation = {
    site_id,
    conversation_id: newId(),
    session_id: claims?.jti ?? newId(),
    visitor_id: begun.visitor,
    user_id: claims?.sub ?? null,
    started_at: begun.now.toISOString(),
  };
  await conversations.saveConversation(conversation);
  const { conversation_id, session_id, visitor_id } = conversation;
  const referrer = begun.referrer == null ? null : truncateCharacters(begun.referrer, REFERRER_MAX_CHARACTERS);
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

/** Waits for a read, whose error is thrown when its result is asked for: it must not replace a refusal. */
async function settled<Result>(read: Promise<Result>): Promise<() => Promise<Result>> {
  await read.catch(() => undefined);
  return () => read;
}

/** Returns the known conversation that the body names; undefined when there is none, or the body cannot be read. */
async function namedConversation(
  { credentials, readBody }: InitWidgetRequest,
  ports: Pick<InitWidgetPorts, 'conversations' | 'tokens'>,
): Promise<Conversation | undefined> {
  const siteId = claimedSite(credentials, ports);
  const conversationId = conversationIdIn(readBody);
  if (siteId === undefined || conversationId === undefined) return undefined;
  return ports.conversations.findConversation(siteId, conversationId);
}

function conversationIdIn(readBody: () => unknown): string | undefined {
  try {
    const body = initRequest.safeParse(readBody());
    return body.success ? (body.data.conversation_id ?? undefined) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
