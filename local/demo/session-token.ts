import * as z from 'zod';

const answer = z.object({ session_token: z.string() });

/** Short, so that one can watch an open page renew its token. */
const TTL_MINUTES = 1;

/** Whom the members' page greets. */
const MEMBER = { user_id: 'member-42', user_name: 'Ada Lovelace' };

/** The service knows no such server secret: it was regenerated, or the assistant is switched off. */
export class ServerSecretRefused extends Error {
  override readonly name = 'ServerSecretRefused';
}

/**
 * What a customer's backend does for a visitor who has logged in: one call with the server secret, which never leaves it.
 * @throws ServerSecretRefused on a 401; an Error when the service refuses for another reason
 */
export async function mintSessionToken(
  apiUrl: string,
  serverSecret: string,
  usage: { readonly url: string; readonly secretOf: (userId: string) => string },
): Promise<string> {
  const response = await fetch(`${apiUrl}/api/widget/session/create`, {
    method: 'POST',
    headers: { 'X-Server-Key': serverSecret, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...MEMBER,
      usage_webhook: { url: usage.url, secret: usage.secretOf(MEMBER.user_id) },
      ttl_minutes: TTL_MINUTES,
    }),
  });
  if (!response.ok) {
    const message = `Session create answered ${response.status} ${await response.text()}`;
    throw response.status === 401 ? new ServerSecretRefused(message) : new Error(message);
  }
  return answer.parse(await response.json()).session_token;
}
