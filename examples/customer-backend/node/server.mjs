import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { usageWebhookMiddleware } from '@va-wave/receiver';
import express from 'express';
import { SessionError, sessionClient } from './sessions.mjs';

const { BASE_URL, SERVER_KEY, USAGE_WEBHOOK_URL, USAGE_KEY, TOKENS_PER_USER = '100000' } = process.env;
const { PORT = '8081', HOST = '127.0.0.1' } = process.env;
if (!/^https?:\/\/[^/\s]+$/.test(BASE_URL) || !SERVER_KEY)
  throw new Error('Set SERVER_KEY, and BASE_URL with its scheme and without a slash at the end');
if (USAGE_WEBHOOK_URL && !USAGE_KEY) throw new Error('Set USAGE_KEY to a long random secret');

const page = readFileSync(new URL('../page.html', import.meta.url), 'utf8');
const sessions = sessionClient({ baseUrl: BASE_URL, serverKey: SERVER_KEY });

/**
 * Returns the user who is logged in, or undefined for nobody, as at `/?guest`, where you try the page as a guest. Replace it with your
 * application's own login.
 */
function userOf(request) {
  if (request.query.guest !== undefined) return undefined;
  return { user_id: 'user-1', user_name: 'Zoë Example', user_email: 'zoe@example.com' };
}

/**
 * Returns a guest with an id that a cookie keeps. A session without a user_id would be a new visitor, and a new conversation, on each page.
 * The prefix keeps a guest from choosing the id of a user.
 */
function guestOf(request, response) {
  const knownGuestId = /(?:^|; )guest=([0-9a-f-]{36})(?:;|$)/.exec(request.get('cookie') ?? '')?.[1];
  const id = knownGuestId ?? randomUUID();
  const cookieOptions = { httpOnly: true, sameSite: 'lax', secure: request.secure, maxAge: 365 * 86_400_000 };
  if (knownGuestId === undefined) response.cookie('guest', id, cookieOptions);
  return { user_id: `guest-${id}` };
}

function sessionOf(request, response) {
  const user = userOf(request) ?? guestOf(request, response);
  if (!USAGE_WEBHOOK_URL) return user;
  return { ...user, usage_webhook: { url: USAGE_WEBHOOK_URL, secret: usageSecretOf(user) } };
}

/** Each user has a different secret, because the visitor can read the secret in the session token. */
function usageSecretOf({ user_id }) {
  return createHmac('sha256', USAGE_KEY).update(user_id).digest('hex');
}

const app = express();

if (USAGE_KEY) {
  // In production, count in your database.
  const spentTokens = new Map();
  const seenNonces = new Set();
  // The middleware answers a report that is not genuine with 400, 401, 408 or 413.
  app.post('/usage', usageWebhookMiddleware({ secret: usageSecretOf }), (_request, response) => {
    const { user_id, nonce, usage } = response.locals.usage;
    const before = spentTokens.get(user_id) ?? 0;
    const now = seenNonces.has(nonce) ? before : before + usage.total_tokens;
    seenNonces.add(nonce);
    spentTokens.set(user_id, now);
    response.json({ should_continue: now < Number(TOKENS_PER_USER) });
  });
}

app.use((request, response, next) => {
  response.locals.session = sessionOf(request, response);
  response.set('Cache-Control', 'no-store');
  next();
});

app.get('/', async (_request, response) => {
  // Without a token, the page has no widget.
  const token = await sessions.tokenFor(response.locals.session).catch((error) => console.error(error.message));
  const tag = `<script async src="${BASE_URL}/static/va-wave-widget.js" data-session-token="${token}"></script>`;
  response.send(page.replace('{{widget}}', () => (token ? tag : '')));
});

app.post('/widget-session', async (request, response) => {
  // Allows only our own pages. Browsers set this header, and scripts cannot change it. Without it, the caller is an old browser or no page.
  if ((request.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin') {
    return response.status(403).json({ error: 'Only our own pages may renew a session' });
  }
  try {
    response.json({ session_token: await sessions.mint(response.locals.session) });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    console.error(error.message);
    if (error.retryAfter) response.set('Retry-After', error.retryAfter);
    response.status(503).json({ error: 'No session is available now' });
  }
});

app.listen(Number(PORT), HOST, () => console.log(`listening on http://${HOST}:${PORT}/`));
