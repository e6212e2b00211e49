import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { messageOf } from '../cloud/cloud-error.ts';
import type { DemoCloud } from '../demo-cloud.ts';
import type { ReceiverCertificates } from '../receiver-certificates.ts';
import type { Feed, ReceivedRequest } from './feed.ts';
import { listen } from './listen.ts';
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

const ASSETS: Readonly<Record<string, string>> = { 'demo.css': 'text/css', 'demo.js': 'text/javascript' };

const publishRequest = z.object({ event: z.enum(DEMO_EVENTS) });
const replayRequest = z.object({ number: z.int(), alter: z.boolean() });

/** The customer's website with its backend, on an origin of its own. */
export async function startSite(neighbours: Neighbours, preferredPort: number): Promise<Site> {
  let organization: DemoOrganization | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (organization === undefined) return reply(response, { status: 503, body: 'Starting …' });
    if (request.method === 'GET' && path === '/live') return live(request, response, neighbours.feed);
    answer(request, path, organization, neighbours)
      .catch(failed)
      .then((result) => reply(response, result, contentSecurityPolicy(neighbours.cloud.baseUrl)));
  });
  const port = await listen(server, preferredPort);
  return {
    port,
    host: `localhost:${port}`,
    open: (known) => {
      organization = known;
    },
    stop: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  path: string,
  organization: DemoOrganization,
  neighbours: Neighbours,
): Promise<Answer> {
  const { cloud, fail, receiverPort } = neighbours;
  const receiverUrl = `https://localhost:${receiverPort}`;
  const shared = { baseUrl: cloud.baseUrl, receiverUrl, fail };
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
      // For the command line: no more than what the members' page shows to whoever asks for it.
      return { status: 200, body: await mint() };
    case 'POST /members/token':
      return fromOwnPage(request) ? ok({ token: await mint() }) : NOT_FOUND;
    case 'POST /publish':
      return fromOwnPage(request)
        ? publish(publishRequest.parse(await json(request)).event, organization, neighbours)
        : NOT_FOUND;
    case 'POST /replay':
      return fromOwnPage(request) ? replayOne(replayRequest.parse(await json(request)), neighbours) : NOT_FOUND;
    default: {
      const type = ASSETS[path.replace('/assets/', '')];
      if (request.method !== 'GET' || type === undefined) return NOT_FOUND;
      return { status: 200, type, body: readFileSync(new URL(`.${path}`, import.meta.url), 'utf8') };
    }
  }
}

/** The service is right to refuse a server secret of former times; the visitor of the demo is told what to do. */
function failed(error: unknown): Answer {
  if (!(error instanceof ServerSecretRefused)) return { status: 500, body: messageOf(error) };
  const body = `${error.message}

The server secret of the assistant Members was regenerated, or the assistant is switched off. This demo's backend holds the former
secret, and is refused, as it should be. End npm start and start it again: it then generates a secret for this backend, and the one
that was generated meanwhile stops working.
`;
  return { status: 502, body };
}

const NOT_FOUND: Answer = { status: 404, body: 'Not found' };
const ok = (body: object): Answer => ({ status: 200, type: 'application/json', body: JSON.stringify(body) });

/** Another site that is open in the same browser can reach this one, but cannot pretend to be it. */
function fromOwnPage(request: IncomingMessage): boolean {
  return request.headers.origin === `http://${request.headers.host}`;
}

/** Plays the platform around the service. Contacts belong to the organization, not to one assistant. */
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
