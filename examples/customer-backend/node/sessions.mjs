const TIMEOUT_MS = 5000;
/** A page gets a kept token only if the token is valid for at least this time. */
const MIN_LIFE_MS = 5 * 60_000;
const KEPT_USERS = 10_000;

export class SessionError extends Error {
  /** @param {string | undefined} retryAfter seconds, if the service returned them */
  constructor(message, retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/**
 * Returns a client that mints session tokens. The server key never leaves this process; the browser gets the token.
 * @param {{ baseUrl: string, serverKey: string, usageWebhookOf: (userId: string) => { url: string, secret: string } | undefined }} settings
 */
export function sessionClient({ baseUrl, serverKey, usageWebhookOf }) {
  /** @type {Map<string, { token: string, expiresAt: number }>} */
  const kept = new Map();

  /** Mints a new token. @throws SessionError */
  async function mint(user) {
    let response;
    let answer;
    try {
      response = await fetch(`${baseUrl}/api/widget/session/create`, {
        method: 'POST',
        headers: { 'X-Server-Key': serverKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          user_id: user.id,
          user_name: user.name,
          user_email: user.email,
          usage_webhook: usageWebhookOf(user.id),
        }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer = await response.json();
    } catch (error) {
      throw new SessionError(`Session create did not answer: ${error.message}`);
    }
    if (!response.ok) {
      throw new SessionError(
        `Session create answered ${response.status}: ${answer.error}`,
        response.headers.get('retry-after') ?? undefined,
      );
    }
    if (kept.size >= KEPT_USERS) kept.clear();
    kept.set(user.id, { token: answer.session_token, expiresAt: Date.parse(answer.expires_at) });
    return answer.session_token;
  }

  return {
    mint,
    /** Returns a token for a page. It reuses tokens, because the service accepts 20 session creates per minute from one IP address. */
    async tokenFor(user) {
      const known = kept.get(user.id);
      return known && known.expiresAt - Date.now() > MIN_LIFE_MS ? known.token : mint(user);
    },
  };
}
