import type { FormAction } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { truncateCharacters } from '../../contract/characters.ts';
import { URL_MAX_CHARACTERS } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import { describeIssue } from '../../contract/text.ts';
import { type InitResponse, initRequest } from '../../contract/widget.ts';
import {
  admitWidget,
  claimedSite,
  identifyWidget,
  type WidgetAuthenticationPorts,
  type WidgetCredentials,
} from '../auth/authenticate-widget.ts';
import type { PublishEvent } from '../events/publish.ts';
import type { HitPerHour } from '../rate-limits/rate-limits.ts';
import { Refusal } from '../refusal.ts';
import type { Clock, NewId } from '../sources.ts';
import { belongsTo, type Conversation, type FindConversation } from './conversations.ts';

export type InitWidgetPorts = WidgetAuthenticationPorts & {
  readonly findConversation: FindConversation;
  readonly saveConversation: (conversation: Conversation) => Promise<void>;
  /** The assistant's enabled Form Actions. */
  readonly formsOf: (assistant: Assistant) => Promise<readonly FormAction[]>;
  readonly hitPerHour: HitPerHour;
  readonly publish: PublishEvent;
  readonly now: Clock;
  readonly newId: NewId;
};

/**
 * Widget init (spec "POST /api/widget/init"): authenticates, counts towards the hourly limit, and begins a conversation or
 * resumes one that we know. Only a new one puts conversation.started on the bus.
 * @param siteKnown called as soon as the site is known and before anything is refused, so that refusals carry CORS headers
 * @throws Refusal
 */
export async function initWidget(
  request: { readonly credentials: WidgetCredentials; readonly readBody: () => unknown },
  ports: InitWidgetPorts,
  siteKnown: (assistant: Assistant) => void,
): Promise<InitResponse> {
  const { credentials } = request;
  const known = knownConversation(request, ports);
  // Awaited after the verdict; without a handler of its own, an early rejection would end the process.
  known.catch(() => undefined);
  const identified = await identifyWidget(credentials, ports);
  if (identified.assistant !== undefined) siteKnown(identified.assistant);
  const assistant = admitWidget(credentials, identified);

  const parsed = initRequest.safeParse(request.readBody());
  if (!parsed.success) throw new Refusal(400, describeIssue(parsed.error));
  const now = ports.now();
  const userId = identified.claims?.sub ?? null;
  const found = await known;
  const resumed = belongsTo(found, userId) ? found : undefined;
  const conversation: Conversation = {
    site_id: assistant.site_id,
    conversation_id: resumed?.conversation_id ?? ports.newId(),
    session_id: identified.claims?.jti ?? resumed?.session_id ?? ports.newId(),
    visitor_id: userId ?? resumed?.visitor_id ?? parsed.data.visitor_id ?? ports.newId(),
    user_id: userId,
    started_at: resumed?.started_at ?? now.toISOString(),
  };

  // Written beside the count, not after it: a conversation that the limit then refuses is known to nobody and expires.
  const [perHour, forms] = await Promise.all([
    ports.hitPerHour(assistant.site_id, assistant.hourly_rate_limit, now),
    ports.formsOf(assistant),
    resumed === undefined ? ports.saveConversation(conversation) : undefined,
  ]);
  if (!perHour.allowed) throw new Refusal(429, MESSAGES.rateLimitExceeded, perHour);
  if (resumed === undefined) {
    const { conversation_id, session_id, visitor_id } = conversation;
    const referrer = parsed.data.referrer == null ? null : truncateCharacters(parsed.data.referrer, URL_MAX_CHARACTERS);
    await ports.publish({
      event: 'conversation.started',
      org_id: assistant.org_id,
      site_id: assistant.site_id,
      data: { conversation_id, session_id, visitor_id, referrer },
    });
  }
  return {
    success: true,
    site_id: assistant.site_id,
    session_id: conversation.session_id,
    visitor_id: conversation.visitor_id,
    conversation_id: conversation.conversation_id,
    forms: forms.map((form) => ({ slug: form.slug, name: form.name, fields: form.form_fields })),
  };
}

/** Reads the conversation that the body names beside the site, not after it; a body that cannot be read names none. */
async function knownConversation(
  request: { readonly credentials: WidgetCredentials; readonly readBody: () => unknown },
  ports: InitWidgetPorts,
): Promise<Conversation | undefined> {
  const siteId = claimedSite(request.credentials, ports);
  const conversationId = namedConversation(request.readBody);
  if (siteId === undefined || conversationId === undefined) return undefined;
  return ports.findConversation(siteId, conversationId);
}

function namedConversation(readBody: () => unknown): string | undefined {
  try {
    const body = initRequest.safeParse(readBody());
    return body.success ? (body.data.conversation_id ?? undefined) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
