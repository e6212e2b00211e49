import * as z from 'zod';

/** What the conversation view sent along: the widget's own header, and the page's origin. */
export type Credential = {
  readonly siteId: string | undefined;
  readonly sessionToken: string | undefined;
  readonly origin: string | undefined;
};

export type Visitor = {
  readonly siteId: string;
  readonly conversationId: string;
  readonly sessionId: string;
  readonly sessionToken: string | undefined;
};

const answer = z.object({
  site_id: z.string(),
  conversation_id: z.string().nullable(),
  session_id: z.string().nullable(),
});

/**
 * Asks the service whether this visitor may speak in this conversation: init resumes a conversation only for whom it belongs to, and
 * with `begin_conversation: false` it begins none. A platform with many visitors keeps the answer for as long as the credential is
 * the same, because each init counts towards the hourly limit.
 * @returns undefined when the service refuses, or the conversation is another's
 */
export async function visitorOf(
  apiUrl: string,
  credential: Credential,
  conversationId: string,
): Promise<Visitor | undefined> {
  const { siteId, sessionToken, origin } = credential;
  const response = await fetch(`${apiUrl}/api/widget/init`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(origin === undefined ? {} : { origin }),
      ...(sessionToken === undefined ? { 'x-site-id': siteId ?? '' } : { 'x-session-token': sessionToken }),
    },
    body: JSON.stringify({ conversation_id: conversationId, begin_conversation: false }),
  });
  if (!response.ok) return undefined;
  const { site_id, conversation_id, session_id } = answer.parse(await response.json());
  if (conversation_id !== conversationId || session_id === null) return undefined;
  return { siteId: site_id, conversationId, sessionId: session_id, sessionToken };
}
