import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer } from '../../cli/receiver.ts';
import { messageOf } from '../cloud/cloud-error.ts';
import { listenNear } from '../cloud/listener.ts';
import type { DemoCloud } from '../demo-cloud.ts';
import type { ReceiverCertificates } from '../receiver-certificates.ts';
import { type Conversations, conversations, readRequest, turnRequest } from './conversation/conversations.ts';
import type { Feed, ReceivedRequest } from './feed.ts';
import type { Operator } from './operator.ts';
import { DEMO_EVENTS, type DemoOrganization } from './organization.ts';
import { contentSecurityPolicy, type DemoPage, demoPage } from './page.ts';
import { USAGE_PATH } from './receiver.ts';
import { replay } from './replay.ts';
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
  readonly certificates: ReceiverCertificates;
  readonly receiverPort: number;
  readonly usageSecretOf: (userId: string) => string;
  readonly fail: number;
};

type Answer = { readonly status: number; readonly type?: string; readonly body: string };

const asset = (type: string, file: string) => ({ type, file: new URL(file, import.meta.url) });
const ASSETS = new Map([
  ['/assets/demo.css', asset('text/css', './assets/demo.css')],
  ['/assets/demo.js', asset('text/javascript', './assets/demo.js')],
  ['/assets/conversation-view.js', asset('text/javascript', '../../examples/conversation-view/view.js')],
]);

const publishRequest = z.object({ event: z.enum(DEMO_EVENTS) });
const replayRequest = z.object({ number: z.int(), alter: z.boolean() });

/** Starts the customer's website with its backend, on a separate origin. */
export async function startSite(neighbours: Neighbours, preferredPort: number): Promise<Site> {
  let organization: DemoOrganization | undefined;
  let talks: Conversations | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (!isOwnHost(request)) return reply(response, { status: 421, body: 'This site is http://localhost' });
    if (organization === undefined || talks === undefined) return reply(response, { status: 503, body: 'Starting …' });
    if (request.method === 'GET' && path === '/live') return live(request, response, neighbours.feed);
    answer(request, path, organization, { ...neighbours, talks })
      .catch(failed)
      .then((result) => reply(response, result, contentSecurityPolicy(neighbours.cloud.baseUrl)));
  });
  const port = await listenNear(server, preferredPort);
  return {
    port,
    host: `localhost:${port}`,
    open: (known) => {
      organization = known;
      talks = conversations(neighbours.cloud, known.org_id, neighbours.operator);
    },
    stop: () => closeServer(server),
  };
}

async function answer(
  request: IncomingMessage,
  path: string,
  organization: DemoOrganization,
  neighbours: Neighbours & { readonly talks: Conversations },
): Promise<Answer> {
  const { cloud, fail, receiverPort } = neighbours;
  const receiverUrl = `https://localhost:${receiverPort}`;
  const allowed = request.headers.host?.startsWith('localhost:') === true;
  const shared = { baseUrl: cloud.baseUrl, receiverUrl, fail, allowed };
  const page = (rest: Pick<DemoPage, 'kind' | 'credential'>): Answer => ({
    status: 200,
    type: 'text/html',
    body: demoPage({ ...shared, ...rest }),
  });
  const usage = { url: receiverUrl + USAGE_PATH, secretOf: neighbours.usageSecretOf };
  const mint = () => mintSessionToken(cloud.apiUrl, organization.server_secret, usage);

  switch (`${request.method} ${path}`) {
    case 'GET /':
      return page({ kind: 'website', credential: { 'data-site-id': organization.website_site_id } });
    case 'GET /members':
      return page({ kind: 'members', credential: { 'data-session-token': await mint() } });
    case 'GET /members/token':
      // For the command line. The members' page shows the same token to every visitor.
      return { status: 200, body: await mint() };
    case 'POST /members/token':
      return fromOwnPage(request) ? ok({ token: await mint() }) : NOT_FOUND;
    case 'POST /conversation/read':
    case 'POST /conversation/turns':
      return fromOwnPage(request) ? converse(request, path, neighbours.talks) : NOT_FOUND;
    case 'POST /publish':
      return fromOwnPage(request)
        ? publish(publishRequest.parse(await json(request)).event, organization, neighbours)
        : NOT_FOUND;
    case 'POST /replay':
      return fromOwnPage(request) ? replayOne(replayRequest.parse(await json(request)), neighbours) : NOT_FOUND;
    default: {
      const found = ASSETS.get(path);
      if (request.method !== 'GET' || found === undefined) return NOT_FOUND;
      return { status: 200, type: found.type, body: readFileSync(found.file, 'utf8') };
    }
  }
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
const UNAUTHORIZED: Answer = { status: 401, body: 'Not your conversation' };
const ok = (body: object): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(body) });

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

/** The backend of the conversation view: the platform's, not the service's. */
async function converse(request: IncomingMessage, path: string, talks: Conversations): Promise<Answer> {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const credential = {
    siteId: header('x-site-id'),
    sessionToken: header('x-session-token'),
    origin: header('origin'),
  };
  const body = await json(request);
  if (path.endsWith('/read')) {
    const said = await talks.read(credential, readRequest.parse(body).conversation_id);
    return said === undefined ? UNAUTHORIZED : ok(said);
  }
  const { conversation_id, text } = turnRequest.parse(body);
  const said = await talks.say(credential, conversation_id, text);
  return said === undefined ? UNAUTHORIZED : ok(said);
}

/** Puts an event on the bus, as the platform around the service does. Contacts belong to the organization, not to one assistant. */
async function publish(
  event: (typeof DEMO_EVENTS)[number],
  organization: DemoOrganization,
  { operator }: Neighbours,
): Promise<Answer> {
  await operator.publish({
    event,
    org_id: organization.org_id,
    ...(event.startsWith('contact.') ? {} : { site_id: organization.website_site_id }),
    data: { note: 'Put on the bus from the demo page' },
  });
  return ok({});
}

async function replayOne(
  { number, alter }: z.infer<typeof replayRequest>,
  { feed, receiverPort, certificates }: Neighbours,
): Promise<Answer> {
  const original = feed.find(number);
  if (original === undefined) return NOT_FOUND;
  await replay(original, { port: receiverPort, caFile: certificates.caFile, alter });
  return ok({});
}

/** Server-sent events: what the receiver got so far, and what follows. */
function live(request: IncomingMessage, response: ServerResponse, feed: Feed): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const end = feed.watch((received: ReceivedRequest) => {
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
