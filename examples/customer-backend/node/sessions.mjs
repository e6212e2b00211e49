const TIMEOUT_MS = 5000;
/** A page gets a kept token only if the token is valid for at least this time. */
const MIN_LIFE_MS = 5 * 60_000;
const KEPT_USERS = 10_000;

export class SessionError extends Error {
  /** @param {string | null} retryAfter seconds, if the service returned them */
  constructor(message, retryAfter = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/**
 * Returns a client that mints session tokens. The server key never leaves this process; the browser gets the token.
 * Its functions take the body of session create.
 */
export function sessionClient({ baseUrl, serverKey }) {
  /** @type {Map<string, { token: string, expiresAt: number }>} */
  const kept = new Map();

  /** Mints a new token. @throws SessionError */
  async function mint(session) {
    let response;
    let answer;
    try {
      response = await fetch(`${baseUrl}/api/widget/session/create`, {
        method: 'POST',
        headers: { 'X-Server-Key': serverKey, 'Content-Type': 'application/json' },
        body: JSON.stringify(session),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer = await response.json();
    } catch (error) {
      throw new SessionError(`Session create did not answer: ${error.message}`);
    }
    if (!response.ok) {
      const said = `Session create answered ${response.status}: ${answer.error}`;
      throw new SessionError(said, response.headers.get('retry-after'));
    }
    if (kept.size >= KEPT_USERS) kept.clear();
    kept.set(session.user_id, { token: answer.session_token, expiresAt: Date.parse(answer.expires_at) });
    return answer.session_token;
  }

  /** Returns a token for a page. It reuses tokens, because the service accepts 20 session creates per minute from one IP address. */
  async function tokenFor(session) {
    const known = kept.get(session.user_id);
    return known && known.expiresAt - Date.now() > MIN_LIFE_MS ? known.token : mint(session);
  }

  return { mint, tokenFor };
}
