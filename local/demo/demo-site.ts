import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import type { Deployment } from '../../cli/deployment.ts';
import { messageOf } from '../cloud/cloud-error.ts';
import { type DemoConversations, demoConversations } from './demo-conversations.ts';
import type { DemoCloud } from './demo-organization.ts';
import { DEMO_EVENTS, type DemoOrganization } from './demo-organization.ts';
import { contentSecurityPolicy, type DemoPage, demoPage } from './demo-page.ts';
import { type DemoReceiver, USAGE_PATH } from './demo-receiver.ts';

type SiteOptions = {
  readonly cloud: DemoCloud;
  readonly deployment: Pick<Deployment, 'publish'>;
  readonly receiver: Pick<DemoReceiver, 'url' | 'watch'>;
  readonly usageSecret: string;
  /** As in `startDemoReceiver`. */
  readonly fail: number;
  readonly organization: DemoOrganization;
};

type Site = SiteOptions & { readonly talks: DemoConversations };

type Answer = { readonly status: number; readonly type?: string; readonly body: string };

/** The lifetime of a token, short enough to see an open page renew it. */
const TTL_MINUTES = 1;
/** The user of the members' page. */
const MEMBER = { user_id: 'member-42', user_name: 'Ada Lovelace' };

const ASSETS: ReadonlyMap<string, readonly [type: string, file: string]> = new Map([
  ['/assets/demo.css', ['text/css', './demo.css']],
  ['/assets/demo.js', ['text/javascript', './demo.js']],
  ['/assets/conversation-view.js', ['text/javascript', '../../examples/conversation-view/view.js']],
]);

/** The customer's website with its backend. */
export function demoSite(options: SiteOptions): RequestListener {
  const { cloud, organization, deployment, receiver } = options;
  const site = { ...options, talks: demoConversations(cloud, organization.org_id, deployment) };
  return (request, response) => {
    if (!isOwnHost(request)) return reply(response, { status: 421, body: 'This site is http://localhost' });
    if (request.url === '/live') return live(request, response, receiver);
    answer(request, site)
      .catch(failed)
      .then((result) => reply(response, result, contentSecurityPolicy(cloud.baseUrl)));
  };
}

async function answer(request: IncomingMessage, site: Site): Promise<Answer> {
  const { cloud, fail, receiver, organization } = site;
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (request.method === 'POST') return fromOwnPage(request) ? answerPost(path, request, site) : NOT_FOUND;
  const [host = '', port = ''] = request.headers.host?.split(':') ?? [];
  const elsewhere = `http://${host === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}${path}`;
  const page = (kind: DemoPage['kind'], credential: DemoPage['credential']): Answer => {
    const body = demoPage({ kind, baseUrl: cloud.baseUrl, receiverUrl: receiver.url, fail, elsewhere, credential });
    return { status: 200, type: 'text/html', body };
  };
  if (path === '/') return page('website', { 'data-site-id': organization.website_site_id });
  if (path === '/members') return page('members', { 'data-session-token': await sessionToken(site) });
  // For the page, and for the command line. The members' page shows the same token to every visitor.
  if (path === '/members/token') return { status: 200, body: await sessionToken(site) };
  const [type, file] = ASSETS.get(path) ?? [];
  if (type === undefined || file === undefined) return NOT_FOUND;
  return { status: 200, type, body: readFileSync(new URL(file, import.meta.url), 'utf8') };
}

const turn = z.object({ conversation_id: z.string(), text: z.string().min(1).max(1000) });

async function answerPost(path: string, request: IncomingMessage, site: Site): Promise<Answer> {
  const { talks, organization, deployment } = site;
  if (path === '/conversation/read') {
    const { conversation_id } = turn.omit({ text: true }).parse(await json(request));
    return said(await talks.read(credentialOf(request), conversation_id));
  }
  if (path === '/conversation/turns') {
    const { conversation_id, text } = turn.parse(await json(request));
    return said(await talks.say(credentialOf(request), conversation_id, text));
  }
  const event = DEMO_EVENTS.find((name) => path === `/publish/${name}`);
  if (event === undefined) return NOT_FOUND;
  // As the platform around the service does. Contacts belong to the organization, not to one assistant.
  const about = event.startsWith('contact.') ? {} : { site_id: organization.website_site_id };
  const data = { note: 'Put on the bus from the demo page' };
  await deployment.publish({ event, org_id: organization.org_id, ...about, data });
  return ok({});
}

/** Creates a session token for a visitor who has logged in, as a customer's backend does. The server secret never leaves the backend. */
async function sessionToken({ cloud, organization, receiver, usageSecret }: Site): Promise<string> {
  const usage_webhook = { url: receiver.url + USAGE_PATH, secret: usageSecret };
  const response = await fetch(`${cloud.apiUrl}/api/widget/session/create`, {
    method: 'POST',
    headers: { 'X-Server-Key': organization.server_secret, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...MEMBER, usage_webhook, ttl_minutes: TTL_MINUTES }),
  });
  if (response.ok) return z.object({ session_token: z.string() }).parse(await response.json()).session_token;
  const hint = response.status === 401 ? ': restart to give the backend a new server secret' : '';
  throw new Error(`Session create answered ${response.status} ${await response.text()}${hint}`);
}

function failed(error: unknown): Answer {
  console.error(`The demo site could not answer: ${messageOf(error)}`);
  return { status: 500, body: 'The demo site could not answer. Its terminal shows the cause.' };
}

const NOT_FOUND: Answer = { status: 404, body: 'Not found' };
const ok = (body: object): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(body) });
const said = (answered: object | undefined): Answer =>
  answered === undefined ? { status: 401, body: 'Not your conversation' } : ok(answered);

/**
 * Whether the request names this machine. Another site can give its own name this machine's address, and would then read what this
 * one answers, session tokens among it.
 */
function isOwnHost({ headers, socket }: IncomingMessage): boolean {
  return [`localhost:${socket.localPort}`, `127.0.0.1:${socket.localPort}`].includes(headers.host ?? '');
}

/** Another site that is open in the same browser can reach this one, but cannot pretend to be it. */
function fromOwnPage(request: IncomingMessage): boolean {
  return request.headers.origin === `http://${request.headers.host}`;
}

/** What the conversation view sends along. Its backend is the platform's, not the service's. */
function credentialOf({ headers }: IncomingMessage) {
  const header = (name: string) => [headers[name]].flat()[0];
  return { siteId: header('x-site-id'), sessionToken: header('x-session-token'), origin: header('origin') };
}

/** Server-sent events: what the receiver got so far, and what follows. */
function live(request: IncomingMessage, response: ServerResponse, receiver: SiteOptions['receiver']): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const end = receiver.watch((received) => {
    response.write(`id: ${received.number}\ndata: ${JSON.stringify(received)}\n\n`);
  });
  request.on('close', end);
}

function reply(
  response: ServerResponse,
  { status, type = 'text/plain', body }: Answer,
  policy = "default-src 'none'",
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
