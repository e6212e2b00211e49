const TIMEOUT_MS = 5000;
/** A page gets a kept token only if the token is valid for at least this time. */
const MIN_LIFE_MS = 5 * 60_000;
const KEPT_TOKENS = 10_000;

export class SessionError extends Error {
  /** @param {string | null} retryAfter seconds, if the service returned them */
  constructor(message, retryAfter = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Returns a client that mints session tokens from the body of session create. The server key never leaves this process; the browser gets the token. */
export function sessionClient({ baseUrl, serverKey }) {
  // The file of a secret often ends with a line break. An HTTP client that refuses a header prints its value.
  const key = serverKey.trim();
  if (!/^ss_[\w-]+$/.test(key))
    throw new Error('The server key is not a server secret: one begins with ss_ and has no quotes');
  /** By the whole body, because a token holds all of it. @type {Map<string, { token: string, goodUntil: number }>} */
  const keptSessions = new Map();

  /** Mints a new token. @throws SessionError */
  async function mint(session) {
    // Counts seconds from here, because the clock of this machine may be wrong.
    const askedAt = performance.now();
    let response;
    let answer;
    try {
      response = await fetch(`${baseUrl}/api/widget/session/create`, {
        method: 'POST',
        headers: { 'X-Server-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify(session),
        // The key is for this address only.
        redirect: 'error',
        // Next.js would mint a token once, while it builds the page, for all visitors.
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // A proxy answers with a page, which is no JSON.
      const noJson = (error) => (error instanceof SyntaxError ? null : Promise.reject(error));
      answer = (await response.json().catch(noJson)) ?? {};
    } catch (error) {
      // By this error Next.js learns that it must render the page for each request.
      if (error.digest) throw error;
      // An error of fetch has its reason in the cause.
      const { message, cause = { message } } = error;
      throw new SessionError(`Session create did not answer: ${cause.message || cause.code}`);
    }
    if (!response.ok || typeof answer.session_token !== 'string') {
      const said = `Session create answered ${response.status}: ${answer.error ?? 'no session token'}`;
      throw new SessionError(said, response.headers.get('retry-after'));
    }
    // Without a user_id, the token is of a new visitor, and of nobody else.
    if (session.user_id) {
      if (keptSessions.size >= KEPT_TOKENS) keptSessions.clear();
      const goodUntil = askedAt + answer.expires_in_seconds * 1000 - MIN_LIFE_MS;
      keptSessions.set(JSON.stringify(session), { token: answer.session_token, goodUntil });
    }
    return answer.session_token;
  }

  /** Returns a token for a page. It reuses tokens, because the service accepts 20 session creates per minute from one IP address. */
  async function tokenFor(session) {
    const keptSession = keptSessions.get(JSON.stringify(session));
    return keptSession && keptSession.goodUntil > performance.now() ? keptSession.token : mint(session);
  }

  return { mint, tokenFor };
}
