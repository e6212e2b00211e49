import { fileURLToPath } from 'node:url';
import express, { type Request, type Response } from 'express';
import * as z from 'zod';
import type { Deployment } from '../../cli/deployment.ts';
import { characters } from '../../src/contract/fields.ts';
import { EVENT_ATTEMPTS } from '../../src/contract/limits.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { messageOf } from '../cloud/cloud-error.ts';
import { isThisMachine } from '../cloud/listener.ts';
import { demoConversations } from './demo-conversations.ts';
import { DEMO_EVENTS, type DemoCloud, type DemoOrganization } from './demo-organization.ts';
import { contentSecurityPolicy, type DemoPage, demoPage } from './demo-page.ts';
import { type DemoReceiver, USAGE_PATH } from './demo-receiver.ts';

type SiteOptions = {
  readonly cloud: DemoCloud;
  readonly deployment: Pick<Deployment, 'publish'>;
  readonly receiver: Pick<DemoReceiver, 'url' | 'watch'>;
  readonly usageSecret: string;
  readonly organization: DemoOrganization;
};

/** The lifetime of a token, short enough to see an open page renew it. */
const TTL_MINUTES = 1;
const MEMBER = { user_id: 'member-42', user_name: 'Ada Lovelace' };
const root = fileURLToPath(new URL('../..', import.meta.url));
const ASSETS = {
  '/assets/demo.css': 'local/demo/demo.css',
  '/assets/demo.js': 'local/demo/demo.js',
  '/assets/conversation-view.js': 'examples/conversation-view/view.js',
} as const;

const inConversation = z.object({ conversation_id: z.string() });
const turn = inConversation.extend({ text: characters({ min: 1, max: 1000 }) });

export function demoSite(options: SiteOptions) {
  const { cloud, deployment, receiver, organization } = options;
  const talks = demoConversations(cloud, organization.org_id, deployment);
  const site = express().disable('x-powered-by').enable('strict routing').enable('case sensitive routing');
  const notFound = (response: Response) => response.status(404).type('text').send('Not found');
  const answer = (response: Response, said: object | undefined) =>
    said === undefined ? response.status(401).type('text').send('Not your conversation') : response.json(said);

  site.use((request, response, next) => {
    response.set({
      'content-security-policy': contentSecurityPolicy(cloud.baseUrl),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    if (!isThisMachine(request.headers.host ?? ''))
      response.status(421).type('text').send('This site is http://localhost');
    // Another site that is open in the same browser can reach this one, but cannot pretend to be it.
    else if (request.method === 'POST' && request.get('origin') !== `http://${request.get('host')}`) notFound(response);
    else next();
  });

  const page = ({ hostname, path, socket }: Request, kind: DemoPage['kind'], credential: DemoPage['credential']) => {
    const otherUrl = `http://${hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${socket.localPort}${path}`;
    const dashboardUrl = cloud.outputs[OUTPUTS.dashboardUrl] ?? '';
    return demoPage({ kind, baseUrl: cloud.baseUrl, dashboardUrl, receiverUrl: receiver.url, otherUrl, credential });
  };
  site.get('/', (request, response) => {
    response.send(page(request, 'website', { 'data-site-id': organization.website_site_id }));
  });
  site.get('/members', async (request, response) => {
    response.send(page(request, 'members', { 'data-session-token': await sessionToken(options) }));
  });
  // For the page, and for the command line. The members' page shows the same token to every visitor.
  site.get('/members/token', async (_, response) => {
    response.type('text').send(await sessionToken(options));
  });
  for (const [path, file] of Object.entries(ASSETS)) {
    site.get(path, (_, response) => response.sendFile(file, { root }));
  }
  // Server-sent events: what the receiver got so far, and what follows.
  site.get('/live', (_, response) => {
    response.type('text/event-stream').flushHeaders();
    const end = receiver.watch((received) => {
      response.write(`id: ${received.number}\ndata: ${JSON.stringify(received)}\n\n`);
    });
    response.on('close', end);
  });

  site.use(express.json());
  site.post('/conversation/read', async (request, response) => {
    answer(response, await talks.read(credentialOf(request), inConversation.parse(request.body).conversation_id));
  });
  site.post('/conversation/turns', async (request, response) => {
    const { conversation_id, text } = turn.parse(request.body);
    answer(response, await talks.say(credentialOf(request), conversation_id, text));
  });
  // As the platform around the service does. Contacts belong to the organization, not to one assistant.
  for (const event of DEMO_EVENTS) {
    site.post(`/publish/${event}`, async (request, response) => {
      const about = event.startsWith('contact.') ? {} : { site_id: organization.website_site_id };
      const note = 'Put on the bus from the demo page';
      const data = request.query.fail === undefined ? { note } : { note, failures: EVENT_ATTEMPTS - 1 };
      await deployment.publish({ event, org_id: organization.org_id, ...about, data });
      response.json({});
    });
  }

  site.use((_, response) => notFound(response));
  // Express recognizes a handler of errors by its four parameters.
  site.use((error: unknown, _: Request, response: Response, __: unknown) => {
    console.error(`The demo site could not answer: ${messageOf(error)}`);
    response.status(500).type('text').send('The demo site could not answer. Its terminal shows the cause.');
  });
  return site;
}

/** Creates a session token for a visitor who has logged in, as a customer's backend does. The server secret never leaves the backend. */
async function sessionToken({ cloud, organization, receiver, usageSecret }: SiteOptions): Promise<string> {
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

/** What the conversation view sends along. Its backend is the platform's, not the service's. */
const credentialOf = (request: Request) => ({
  siteId: request.get('x-site-id'),
  sessionToken: request.get('x-session-token'),
  origin: request.get('origin'),
});
