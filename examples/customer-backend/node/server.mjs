import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { usageWebhookMiddleware } from '@va-wave/receiver';
import { currentUser } from './login.mjs';
import { SessionError, sessionClient } from './sessions.mjs';
import { usageAccount } from './usage.mjs';

const { BASE_URL, SERVER_KEY, USAGE_WEBHOOK_URL, USAGE_KEY, TOKENS_PER_USER = '100000' } = process.env;
const { PORT = '8081', HOST = '127.0.0.1' } = process.env;
if (!BASE_URL || !SERVER_KEY) throw new Error('Set BASE_URL and SERVER_KEY');
if (USAGE_WEBHOOK_URL && !USAGE_KEY) throw new Error('Set USAGE_KEY to a long random secret');

const page = readFileSync(new URL('../page.html', import.meta.url), 'utf8');
const usage = USAGE_KEY ? usageAccount({ key: USAGE_KEY, tokensPerUser: Number(TOKENS_PER_USER) }) : undefined;
const verifyUsage = usageWebhookMiddleware(({ user_id }) => usage?.secretOf(user_id));
const sessions = sessionClient({
  baseUrl: BASE_URL,
  serverKey: SERVER_KEY,
  usageWebhookOf: (userId) =>
    usage && USAGE_WEBHOOK_URL ? { url: USAGE_WEBHOOK_URL, secret: usage.secretOf(userId) } : undefined,
});

const attribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Returns the page. Without a token, it returns the page without the widget. */
async function renderPage(user) {
  const token = await sessions.tokenFor(user).catch((error) => console.error(error.message));
  const tag = `<script async src="${attribute(BASE_URL)}/static/va-wave-widget.js" data-session-token="${attribute(token ?? '')}"></script>`;
  return page.replace('{{widget}}', () => (token ? tag : ''));
}

async function renew(request, response, user) {
  // Allows only our own pages. Browsers set this header, and scripts cannot change it.
  if ((request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') {
    return json(response, 403, { error: 'Only our own pages may renew a session' });
  }
  try {
    json(response, 200, { session_token: await sessions.mint(user) });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    console.error(error.message);
    if (error.retryAfter) response.setHeader('Retry-After', error.retryAfter);
    json(response, 503, { error: 'No session is available now' });
  }
}

/** Answers a report that is not genuine with 400, 401 or 413, as an Express application does. */
async function reportUsage(request, response) {
  response.locals = {};
  await verifyUsage(request, response, (error) => {
    if (error) throw error;
    json(response, 200, usage.count(response.locals.usage));
  });
}

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function route(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname === '/usage' && request.method === 'POST' && usage) return reportUsage(request, response);
  const user = currentUser(request);
  if (user === undefined) return json(response, 401, { error: 'Log in first' });
  if (pathname === '/widget-session' && request.method === 'POST') return renew(request, response, user);
  if (pathname !== '/' || request.method !== 'GET') return json(response, 404, { error: 'Not found' });
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(await renderPage(user));
}

createServer((request, response) => {
  route(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) json(response, 500, { error: 'Internal error' });
  });
}).listen(Number(PORT), HOST, () => console.log(`listening on http://${HOST}:${PORT}/`));
