import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { envelopeOf } from '../../../bench/setting/bench-actions.ts';
import { awsEnvironment, startStorage } from '../../../bench/setting/bench-storage.ts';
import { serviceOf } from '../../../bench/setting/functions.ts';
import { COUNTED } from '../../../scripts/costs.ts';
import { EVENT_NAMES } from '../../../src/contract/events.ts';
import { createAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { createAction, generateServerSecret } from '../../fakes/saves.ts';
import { keptEnvironment } from '../../harness/environment.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { httpEvent, lambdaContext, logged, sqsEvent } from '../../unit/lambdas/invocation.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { startReceiver } from '../acceptance/receiver.ts';
import type { HttpFunction } from '../chaos/chaos-system.ts';
import { startMeteredServices } from './metered-services.ts';

type QueueFunction = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const ORGANIZATIONS = 10;
const ACTIONS = 5;

const receiver = await startReceiver();
const service = serviceOf(await serviceAssembly());
const storage = await startStorage(temporaryFolder(), service);
const services = await startMeteredServices(storage.origin, storage.environment.AWS_ENDPOINT_URL_SQS ?? '');
afterAll(keptEnvironment());
Object.assign(process.env, service.variables, awsEnvironment(services.origin, services.origin), {
  VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile,
});
async function load<Handler>(name: string): Promise<Handler> {
  const { handler }: { handler: Handler } = await import(pathToFileURL(service.bundleOf(name)).href);
  return handler;
}
const router = await load<QueueFunction>('event-router');
const dispatcher = await load<QueueFunction>('dispatcher');
const [sessionCreate, init, preflight] = [
  await load<HttpFunction>('session-create'),
  await load<HttpFunction>('widget-init'),
  await load<HttpFunction>('preflight'),
];

const { management } = storage;
const sites: { orgId: string; siteId: string }[] = [];
for (let organization = 0; organization < ORGANIZATIONS; organization++) {
  const { org_id: orgId } = await createOrganization({ name: 'A customer', plan: 'paid' }, management);
  const site = { name: 'The website', domain: 'shop.example.com', hourly_rate_limit: 1_000_000 };
  const { site_id: siteId } = await createAssistant(orgId, site, management);
  const events = ['message.sent', 'contact.created', 'contact.updated', 'conversation.started', 'conversation.ended'];
  for (let action = 0; action < ACTIONS; action++) {
    await createAction(
      siteId,
      { trigger: 'Event', name: `Action ${action}`, url: receiver.url('/hook'), events: [events[action]] },
      management,
    );
  }
  sites.push({ orgId, siteId });
}

const { site_id: signedSite } = await createAssistant(
  sites[0]?.orgId ?? '',
  { name: 'Signed', domain: 'a.example', hourly_rate_limit: 1_000_000, authentication_mode: 'Session Signed' },
  management,
);

afterAll(async () => {
  services.stop();
  await storage.stop();
  await receiver.stop();
});

const { serverSecret } = await generateServerSecret(signedSite, { regenerate: false }, management);
const shop = { origin: 'https://shop.example.com', 'x-site-id': sites[0]?.siteId ?? '' };

/** Returns a size in KB as CloudWatch bills it. */
const billedKb = (log: string) =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .reduce((all, line) => all + Buffer.byteLength(line) + 26, 0) / 1024;

type Count = {
  readonly calls: Readonly<Record<string, number>>;
  readonly reads: number;
  readonly writes: number;
  readonly logKb: number;
};

/** Measures the second invocation of a container. The first invocation also reads secrets and opens connections. */
async function expectCount(invoke: () => Promise<unknown>, { logKb, ...expected }: Count) {
  await logged(invoke);
  services.take();
  const { log } = await logged(invoke);
  const { sent, roundTrips, ...found } = services.take();
  const { SendMessageBatch: most = 0, ...calls } = expected.calls;
  const { SendMessageBatch: sends = 0, ...others } = found.calls;
  expect({ ...found, calls: others }).toEqual({ ...expected, calls });
  // Messages that are sent at the same time share a call.
  expect(sends).toBeLessThanOrEqual(most);
  // The lines hold durations, whose digits differ from run to run.
  expect(billedKb(log)).toBeLessThanOrEqual(1.1 * logKb);
  expect(billedKb(log)).toBeGreaterThanOrEqual(0.85 * logKb);
  return { sent, roundTrips };
}

describe.each([[1], [10]])('batches of %p', (batch) => {
  const events = () =>
    sites.slice(0, batch).map(({ orgId, siteId }) => {
      const { event, timestamp, data } = envelopeOf('', orgId);
      const detail = { org_id: orgId, site_id: siteId, data };
      return { id: randomUUID(), 'detail-type': event, time: timestamp, detail };
    });

  test('events and their deliveries use what docs/costs.md states', async () => {
    const { sent: messages } = await expectCount(
      () => router(sqsEvent(...events()), lambdaContext()),
      COUNTED.routed(batch),
    );
    expect(messages).toHaveLength(batch);
    const again = () =>
      sqsEvent(...messages.map((message) => message.replace(/"id":"[^"]+"/, `"id":"${randomUUID()}"`)));
    const before = receiver.requests.length;
    await expectCount(() => dispatcher(again(), lambdaContext()), COUNTED.attempted(batch));
    expect(receiver.requests.length - before).toBe(2 * batch);
  });
});

describe('requests use what docs/costs.md states:', () => {
  test.each([
    [
      'session create',
      sessionCreate,
      { headers: { 'x-server-key': serverSecret }, body: { user_id: 'user-1' } },
      COUNTED.sessionCreate,
      2,
    ],
    ['an init', init, { headers: shop, body: { begin_conversation: false } }, COUNTED.init, 2],
    // It saves the conversation only after the request is counted.
    ['one that begins a conversation', init, { headers: shop, body: {} }, COUNTED.initThatBegins, 3],
    [
      'a preflight',
      preflight,
      {
        method: 'OPTIONS',
        path: '/api/widget/init',
        query: { site: shop['x-site-id'] },
        headers: { origin: shop.origin, 'access-control-request-method': 'POST' },
      },
      COUNTED.preflight,
      1,
    ],
  ])('%s, and wait for DynamoDB as few times as can be', async (_, handler, request, count, roundTrips) => {
    const found = await expectCount(async () => {
      const { statusCode = 0 } = await handler(httpEvent(request), lambdaContext());
      expect([200, 204]).toContain(statusCode);
    }, count);
    expect(found.roundTrips).toBe(roundTrips);
  });
});

describe('an organization with 50 Actions of the largest size', () => {
  const url = receiver.url(`/${'語'.repeat(1900)}`);
  const name = (index: number) => `${index} `.padEnd(100, '語');
  const event = (index: number) => ({ trigger: 'Event', name: name(index), url, events: [...EVENT_NAMES] });
  const tool = (index: number) => ({
    trigger: 'AI-decided',
    name: name(index),
    url,
    description: '語'.repeat(1024),
    parameters: {
      properties: Object.fromEntries(
        Array.from({ length: 15 }, (_, at) => [`p${at}`, { type: 'string', description: 'x'.repeat(1000) }]),
      ),
    },
    response_field_map: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`n${at}`, `$.${'語'.repeat(190)}`])),
  });
  const form = (index: number, count = 39) => ({
    trigger: 'Form',
    name: name(index),
    url,
    form_fields: Array.from({ length: count }, (_, at) => ({
      key: String(at).padEnd(100, '語'),
      label: '語'.repeat(100),
      type: 'Text',
    })),
  });
  const organization = async (...inputs: readonly ((index: number) => object)[]) => {
    const { org_id } = await createOrganization({ name: 'A large customer', plan: 'paid' }, management);
    const [site, other] = await Promise.all(
      ['shop.example.com', 'other.example.com'].map((domain) =>
        createAssistant(org_id, { name: domain, domain, hourly_rate_limit: 1_000_000 }, management),
      ),
    );
    if (site === undefined || other === undefined) throw new Error('There are two assistants');
    for (const [index, input] of inputs.entries()) await createAction(site.site_id, input(index), management);
    return { org_id, site_id: site.site_id, other: other.site_id };
  };
  const routed = async ({ org_id, site_id }: { org_id: string; site_id: string }, batch = 1) => {
    const detail = { org_id, site_id, data: {} };
    const events = Array.from({ length: batch }, () => ({
      id: randomUUID(),
      'detail-type': 'message.sent',
      time: new Date().toISOString(),
      detail,
    }));
    services.take();
    const { result } = await logged(() => router(sqsEvent(...events), lambdaContext()));
    expect(result.batchItemFailures).toEqual([]);
    const { reads, sent } = services.take();
    return { reads, deliveries: sent.length };
  };
  const pageView = async (siteId: string, origin: string) => {
    const headers = { origin, 'x-site-id': siteId };
    services.take();
    const { result } = await logged(() =>
      init(httpEvent({ headers, body: { begin_conversation: false } }), lambdaContext()),
    );
    const { forms } = z.object({ forms: z.array(z.unknown()) }).parse(JSON.parse(result.body ?? ''));
    return { reads: services.take().reads, forms: forms.length };
  };
  const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);

  test('an event of 50 Event Actions reads 15 units at most', async () => {
    const large = await organization(...times(50, event));
    expect((await routed(large)).deliveries).toBe(50);
    const { reads, deliveries } = await routed(large);
    expect(deliveries).toBe(50);
    expect(reads).toBeLessThanOrEqual(15);
  });

  test('an event, the first one too, does not read the tools and forms of the organization', async () => {
    const large = await organization(...times(30, tool), ...times(19, form), event);
    const { reads, deliveries } = await routed(large);
    expect(deliveries).toBe(1);
    expect(reads).toBeLessThanOrEqual(15);
  });

  test('a page view reads ten units and the forms of its own assistant', async () => {
    const large = await organization(...times(20, tool), ...times(10, event), ...times(19, form), (index) =>
      form(index, 2),
    );
    const elsewhere = await pageView(large.other, 'https://other.example.com');
    expect(elsewhere.forms).toBe(0);
    expect(elsewhere.reads).toBeLessThanOrEqual(10);
    const own = await pageView(large.site_id, 'https://shop.example.com');
    expect(own.forms).toBe(20);
    // A form has 32 KB, and the last one 10 KB.
    expect(own.reads).toBeLessThanOrEqual(10 + 19 * 9 + 3);
  });
});
