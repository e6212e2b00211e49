import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { closeServer } from '../../cli/receiver.ts';
import { messageOf } from '../cloud/cloud-error.ts';
import { listenNear } from '../cloud/listener.ts';
import type { DemoCloud } from '../demo-cloud.ts';
import { type Conversations, conversations, readRequest, turnRequest } from './conversation/conversations.ts';
import type { Feed } from './feed.ts';
import type { Operator } from './operator.ts';
import { DEMO_EVENTS, type DemoOrganization } from './organization.ts';
import { contentSecurityPolicy, type DemoPage, demoPage } from './page.ts';
import { USAGE_PATH } from './receiver.ts';
import { mintSessionToken, ServerSecretRefused } from './session-token.ts';

export type Site = {
  readonly port: number;
  /** Host and port under which visitors open it; other names of this machine are other sites. */
  readonly host: string;
  /** Begins to answer, once the organization is known. */
  open(organization: DemoOrganization): void;
  stop(): Promise<void>;
};

type Neighbours = {
  readonly cloud: DemoCloud;
  readonly feed: Feed;
  readonly operator: Operator;
  readonly receiverUrl: string;
  readonly usageSecret: string;
  /** As in `startReceiver`. */
  readonly fail: number;
};

type Opened = Neighbours & { readonly organization: DemoOrganization; readonly talks: Conversations };

type Answer = { readonly status: number; readonly type?: string; readonly body: string };

const asset = (type: string, file: string) => ({ type, file: new URL(file, import.meta.url) });
const ASSETS = new Map([
  ['/assets/demo.css', asset('text/css', './assets/demo.css')],
  ['/assets/demo.js', asset('text/javascript', './assets/demo.js')],
  ['/assets/conversation-view.js', asset('text/javascript', '../../examples/conversation-view/view.js')],
]);

/** Starts the customer's website with its backend, on a separate origin. */
export async function startSite(neighbours: Neighbours, preferredPort: number): Promise<Site> {
  let opened: Opened | undefined;
  const server = createServer((request, response) => {
    if (!isOwnHost(request)) return reply(response, { status: 421, body: 'This site is http://localhost' });
    if (opened === undefined) return reply(response, { status: 503, body: 'Starting …' });
    if (request.url === '/live') return live(request, response, neighbours.feed);
    answer(request, opened)
      .catch(failed)
      .then((result) => reply(response, result, contentSecurityPolicy(neighbours.cloud.baseUrl)));
  });
  const port = await listenNear(server, preferredPort);
  return {
    port,
    host: `localhost:${port}`,
    open: (organization) => {
      const talks = conversations(neighbours.cloud, organization.org_id, neighbours.operator);
      opened = { ...neighbours, organization, talks };
    },
    stop: () => closeServer(server),
  };
}

async function answer(request: IncomingMessage, opened: Opened): Promise<Answer> {
  const { cloud, fail, receiverUrl, organization, talks } = opened;
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (request.method === 'POST') {
    if (!fromOwnPage(request)) return NOT_FOUND;
    if (path === '/conversation/read') {
      const { conversation_id } = readRequest.parse(await json(request));
      return said(await talks.read(credentialOf(request), conversation_id));
    }
    if (path === '/conversation/turns') {
      const { conversation_id, text } = turnRequest.parse(await json(request));
      return said(await talks.say(credentialOf(request), conversation_id, text));
    }
    const event = DEMO_EVENTS.find((name) => path === `/publish/${name}`);
    return event === undefined ? NOT_FOUND : publish(event, opened);
  }
  const allowed = request.headers.host?.startsWith('localhost:') === true;
  const page = (kind: DemoPage['kind'], credential: DemoPage['credential']): Answer => {
    const body = demoPage({ kind, baseUrl: cloud.baseUrl, receiverUrl, fail, allowed, credential });
    return { status: 200, type: 'text/html', body };
  };
  const usageWebhook = { url: receiverUrl + USAGE_PATH, secret: opened.usageSecret };
  const mint = () => mintSessionToken(cloud.apiUrl, organization.server_secret, usageWebhook);
  if (path === '/') return page('website', { 'data-site-id': organization.website_site_id });
  if (path === '/members') return page('members', { 'data-session-token': await mint() });
  // For the page, and for the command line. The members' page shows the same token to every visitor.
  if (path === '/members/token') return { status: 200, body: await mint() };
  const found = ASSETS.get(path);
  return found === undefined ? NOT_FOUND : { status: 200, type: found.type, body: readFileSync(found.file, 'utf8') };
}

/** Answers after an error. When the service refused an old server secret, the answer says what to do. */
function failed(error: unknown): Answer {
  if (!(error instanceof ServerSecretRefused)) {
    console.error(`The demo site could not answer: ${messageOf(error)}`);
    return { status: 500, body: 'The demo site could not answer. Its terminal shows the cause.' };
  }
  const body = `${error.message}

The server secret of the assistant Members was regenerated, or the assistant is disabled. The service refuses the former secret, which
this demo's backend still has. Stop npm start and start it again. It then generates a new secret for this backend, and the regenerated
secret stops working.
`;
  return { status: 502, body };
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

/** Puts an event on the bus, as the platform around the service does. Contacts belong to the organization, not to one assistant. */
async function publish(event: (typeof DEMO_EVENTS)[number], { operator, organization }: Opened): Promise<Answer> {
  await operator.publish({
    event,
    org_id: organization.org_id,
    ...(event.startsWith('contact.') ? {} : { site_id: organization.website_site_id }),
    data: { note: 'Put on the bus from the demo page' },
  });
  return ok({});
}

/** Server-sent events: what the receiver got so far, and what follows. */
function live(request: IncomingMessage, response: ServerResponse, feed: Feed): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const end = feed.watch((received) => {
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
