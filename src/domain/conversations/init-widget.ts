import type { FormAction } from '../../contract/actions.ts';
import { truncateCharacters } from '../../contract/characters.ts';
import { formsInOrder } from '../../contract/form-order.ts';
import { REFERRER_MAX_CHARACTERS } from '../../contract/limits.ts';
import type { PublicAnswer } from '../../contract/public-operations.ts';
import { initRequest } from '../../contract/widget.ts';
import {
  admitWidget,
  claimedSite,
  type IdentifiedWidget,
  identifyWidget,
  type WidgetAuthenticationPorts,
  type WidgetCredentials,
} from '../auth/authenticate-widget.ts';
import type { PublishEvent } from '../events/publish.ts';
import type { HitPerHour } from '../rate-limits.ts';
import { inputOf, Refusal } from '../refusal.ts';
import type { Clock, NewId } from '../sources.ts';
import { belongsTo, type Conversation, type FindConversation } from './conversations.ts';
import { anonymousVisitorId, userVisitorId } from './visitor-id.ts';

/** Reads the assistant's enabled Form Actions. */
type ReadForms = () => Promise<readonly FormAction[]>;

export type IdentifyInitPorts = WidgetAuthenticationPorts & {
  readonly findConversation: FindConversation;
  /** Finds the Form Actions of a site. Init reads them only after it has admitted the widget. */
  readonly findForms: (siteId: string) => Promise<ReadForms>;
};

export type InitWidgetPorts = {
  readonly saveConversation: (conversation: Conversation) => Promise<void>;
  readonly hitPerHour: HitPerHour;
  readonly publish: PublishEvent;
  readonly now: Clock;
  readonly newId: NewId;
};

type AskedInit = { readonly credentials: WidgetCredentials; readonly readBody: () => unknown };

/** An init request whose assistant, token and conversation have been read, and whose forms have been found. It is not admitted yet. */
export type IdentifiedInit = {
  readonly widget: IdentifiedWidget;
  readonly readBody: () => unknown;
  /** The conversation that the body names, or the error of reading it. A read error must not replace a refusal. */
  readonly conversation: PromiseSettledResult<Conversation | undefined>;
  readonly forms: PromiseSettledResult<ReadForms>;
};

/** Identifies the widget, reads the conversation that the body names, and finds the forms, at the same time. */
export async function identifyInit(asked: AskedInit, ports: IdentifyInitPorts): Promise<IdentifiedInit> {
  const siteId = claimedSite(asked.credentials, ports);
  const [widget, [conversation, forms]] = await Promise.all([
    identifyWidget(asked.credentials, ports),
    Promise.allSettled([
      namedConversation(siteId, asked.readBody, ports),
      siteId === undefined ? async () => [] : ports.findForms(siteId),
    ]),
  ]);
  return { widget, readBody: asked.readBody, conversation, forms };
}

/**
 * Handles widget init (spec "POST /api/widget/init"): authenticates, counts the request towards the hourly limit, and begins a
 * conversation or resumes a known one. Only a new conversation puts conversation.started on the bus. With `begin_conversation: false`
 * no conversation begins: the widget sends it on each page view and begins a conversation only when the visitor opens the panel.
 * @throws Refusal
 */
export async function initWidget(
  { widget, readBody, conversation: named, forms: found }: IdentifiedInit,
  ports: InitWidgetPorts,
): Promise<PublicAnswer<'initWidget'>> {
  const assistant = admitWidget(widget);
  const parsed = inputOf(initRequest, readBody());
  if (named.status === 'rejected') throw named.reason;
  if (found.status === 'rejected') throw found.reason;
  const now = ports.now();
  const userId = widget.claims?.sub ?? null;
  const resumed = belongsTo(named.value, userId) ? named.value : undefined;
  const visitorId =
    userId === null
      ? (resumed?.visitor_id ?? anonymousVisitorId(parsed.visitor_id ?? undefined, ports.newId))
      : userVisitorId(userId);
  const begun: Conversation | undefined =
    resumed !== undefined || parsed.begin_conversation === false
      ? undefined
      : {
          site_id: assistant.site_id,
          conversation_id: ports.newId(),
          session_id: widget.claims?.jti ?? ports.newId(),
          visitor_id: visitorId,
          user_id: userId,
          started_at: now.toISOString(),
        };

  const [perHour, forms] = await Promise.all([
    ports.hitPerHour(assistant.site_id, assistant.hourly_rate_limit, now),
    found.value(),
  ]);
  if (!perHour.allowed) throw new Refusal('rate_limit_exceeded', perHour);
  if (begun !== undefined) {
    // Saved after the count, so that a request over the limit writes nothing else.
    await ports.saveConversation(begun);
    const { conversation_id, session_id, visitor_id } = begun;
    const referrer = parsed.referrer == null ? null : truncateCharacters(parsed.referrer, REFERRER_MAX_CHARACTERS);
    await ports.publish({
      event: 'conversation.started',
      org_id: assistant.org_id,
      site_id: assistant.site_id,
      data: { conversation_id, session_id, visitor_id, referrer },
    });
  }
  const conversation = resumed ?? begun;
  return {
    success: true,
    site_id: assistant.site_id,
    session_id: widget.claims?.jti ?? conversation?.session_id ?? null,
    visitor_id: visitorId,
    conversation_id: conversation?.conversation_id ?? null,
    forms: formsInOrder(forms, assistant.form_order).map(({ slug, name, form_fields }) => ({
      slug,
      name,
      // Fields are listed one by one, because newer code may have stored more.
      fields: form_fields.map(({ key, label, type, required }) => ({ key, label, type, required })),
    })),
  };
}

/** Returns the known conversation that the body names; undefined when there is none, or the body cannot be read. */
async function namedConversation(
  siteId: string | undefined,
  readBody: () => unknown,
  ports: Pick<IdentifyInitPorts, 'findConversation'>,
): Promise<Conversation | undefined> {
  const conversationId = conversationIdIn(readBody);
  if (siteId === undefined || conversationId === undefined) return undefined;
  return ports.findConversation(siteId, conversationId);
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
