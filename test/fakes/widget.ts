import type { Assistant } from '../../src/contract/assistants.ts';
import type { SessionClaims } from '../../src/contract/sessions.ts';
import type { SubmissionClaim, SubmissionKey } from '../../src/domain/actions/submit-form.ts';
import type { WidgetAuthenticationPorts, WidgetCredentials } from '../../src/domain/auth/authenticate-widget.ts';
import type { Conversation } from '../../src/domain/conversations/conversations.ts';
import { SITE_ID } from './configuration.ts';

/** The credentials of a visitor's browser on `https://shop.example`, with the site id. */
export function siteIdCredentials(changes: Partial<WidgetCredentials> = {}): WidgetCredentials {
  return {
    siteId: SITE_ID,
    sessionToken: undefined,
    origin: 'https://shop.example',
    referer: undefined,
    ip: '198.51.100.7',
    ...changes,
  };
}

export function someClaims(changes: Partial<SessionClaims> = {}): SessionClaims {
  return { sub: 'user-1', jti: 'session-1', site_id: SITE_ID, iat: 1_772_600_000, exp: 1_772_600_900, ...changes };
}

/** Assistants by site id. A token is valid when it is a key of `tokens`. It names its site also when it is a key of `expired`. */
export function widgetAuthentication(setup: {
  readonly assistants: readonly Assistant[];
  readonly tokens?: Readonly<Record<string, SessionClaims>>;
  readonly expired?: Readonly<Record<string, SessionClaims>>;
}): WidgetAuthenticationPorts {
  const { assistants, tokens = {}, expired = {} } = setup;
  return {
    configuration: {
      findAssistant: async (siteId) => assistants.find((assistant) => assistant.site_id === siteId),
    },
    tokens: {
      verifyToken: async (token) => tokens[token],
      siteOfToken: (token) => (tokens[token] ?? expired[token])?.site_id,
    },
  };
}

/** Returns a conversation that an anonymous visitor began. */
export function aConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    site_id: SITE_ID,
    conversation_id: 'c-1',
    session_id: 's',
    visitor_id: 'v',
    user_id: null,
    started_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

/** An in-memory store of conversations and submissions. */
export class InMemoryConversations {
  readonly saved: Conversation[] = [];
  readonly submissions = new Map<string, { id: string; formId: string; state: 'sending' | 'accepted' | 'failed' }>();

  readonly findConversation = async (siteId: string, conversationId: string) =>
    this.saved.find((one) => one.site_id === siteId && one.conversation_id === conversationId);

  readonly saveConversation = async (conversation: Conversation) => {
    this.saved.push(conversation);
  };

  readonly claimSubmission = async (key: SubmissionKey, submissionId: string): Promise<SubmissionClaim> => {
    const existing = this.submissions.get(submissionText(key));
    if (existing !== undefined && existing.formId !== key.formId) return { kind: 'other_form' };
    if (existing?.state === 'accepted') return { kind: 'accepted', submissionId: existing.id };
    if (existing?.state === 'sending') return { kind: 'in_progress' };
    const id = existing?.id ?? submissionId;
    this.submissions.set(submissionText(key), { id, formId: key.formId, state: 'sending' });
    return { kind: 'claimed', submissionId: id };
  };

  readonly settleSubmission = async (key: SubmissionKey, accepted: boolean): Promise<void> => {
    const existing = this.submissions.get(submissionText(key));
    if (existing !== undefined) existing.state = accepted ? 'accepted' : 'failed';
  };
}

const submissionText = (key: SubmissionKey) => `${key.siteId} ${key.conversationId} ${key.clientKey}`;
