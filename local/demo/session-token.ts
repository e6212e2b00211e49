import * as z from 'zod';

const answer = z.object({ session_token: z.string() });

/** The lifetime of a token, short enough to see an open page renew it. */
const TTL_MINUTES = 1;

/** The user of the members' page. */
const MEMBER = { user_id: 'member-42', user_name: 'Ada Lovelace' };

/** Thrown when the service refuses the server secret: it was regenerated, or the assistant is disabled. */
export class ServerSecretRefused extends Error {
  override readonly name = 'ServerSecretRefused';
}

/**
 * Creates a session token for a visitor who has logged in, as a customer's backend does. The server secret never leaves the backend.
 * @throws ServerSecretRefused on a 401; an Error when the service refuses for another reason
 */
export async function mintSessionToken(
  apiUrl: string,
  serverSecret: string,
  usageWebhook: { readonly url: string; readonly secret: string },
): Promise<string> {
  const response = await fetch(`${apiUrl}/api/widget/session/create`, {
    method: 'POST',
    headers: { 'X-Server-Key': serverSecret, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...MEMBER, usage_webhook: usageWebhook, ttl_minutes: TTL_MINUTES }),
  });
  if (!response.ok) {
    const message = `Session create answered ${response.status} ${await response.text()}`;
    throw response.status === 401 ? new ServerSecretRefused(message) : new Error(message);
  }
  return answer.parse(await response.json()).session_token;
}
