import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { members } from '../../../src/adapters/dynamodb/members.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { addMember } from '../../../src/domain/organizations/manage-members.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { system } from './system.ts';

/**
 * Tests that invocations of one environment do not touch each other: none ends, answers, logs or counts for another one. The functions
 * are the deployed bundles, and each has many invocations in one environment.
 */

const PAGE = 'https://a.example';

const functions = functionIds(await serviceAssembly());

type Site = { readonly orgId: string; readonly siteId: string };
type Line = Readonly<Record<string, unknown>>;

async function twoSites(settings: object = {}): Promise<readonly [Site, Site]> {
  const site = async () => {
    const orgId = await system.operator.createOrganization('Interleaved', 'paid');
    const allowed = { domain: 'a.example', allowedDomains: ['a.example'], hourlyRateLimit: 1000, ...settings };
    return { orgId, siteId: await system.operator.createAssistant(orgId, allowed) };
  };
  return [await site(), await site()];
}

/** The lines of one function that name this value. */
const linesWith = (value: string): readonly Line[] =>
  system
    .logs()
    .split('\n')
    .filter((line) => line.includes(value))
    .map((line) => JSON.parse(line));

/** Checks that every line that names one of the values has a request id of its own invocation. */
function expectOwnRequestIds(...values: readonly string[]): void {
  const ids = values.map((value) => new Set(linesWith(value).map((line) => line.function_request_id)));
  for (const [index, own] of ids.entries()) {
    expect([values[index], own.size]).not.toEqual([values[index], 0]);
    for (const [other, others] of ids.entries()) {
      if (other !== index) expect([...own].filter((id) => others.has(id))).toEqual([]);
    }
  }
}

const post = (path: string, headers: Record<string, string>, body: object = {}) =>
  fetch(`${system.service.apiUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const init = (siteId: string, origin = PAGE) => post('/api/widget/init', { 'x-site-id': siteId, origin });

/** An endpoint that answers the first request only when it is told to, and every other one at once. */
function holdFirst(path: string): () => void {
  let release = (): void => undefined;
  const held = new Promise<string>((resolve) => {
    release = () => resolve('{"held": true}');
  });
  let first = true;
  system.receiver.answer(path, [200], () => {
    if (!first) return '{}';
    first = false;
    return held;
  });
  return release;
}

/** Begins one invocation, whose endpoint holds it, and then runs another one to its end. @returns both results */
async function interleave<Result>(path: string, invoke: (index: number) => Promise<Result>) {
  const release = holdFirst(path);
  const held = invoke(0);
  await until(() => system.receiver.to(path).length === 1);
  const beside = await invoke(1);
  release();
  return { held: await held, beside };
}

test('ai-action: the attempt of one call goes on when another call ends', async () => {
  const sites = await twoSites();
  const path = `/${sites[0].siteId}/tool`;
  const tool = { trigger: 'AI-decided', name: 'Look up', description: 'Looks something up' } as const;
  for (const { siteId } of sites) {
    await system.operator.createAction(siteId, {
      ...tool,
      url: system.receiver.url(path),
      parameters: {},
      feedBack: true,
    });
  }
  const { held, beside } = await interleave(path, (index) =>
    system.service.invoke('AiAction', {
      operation: 'callTool',
      site_id: sites[index]?.siteId,
      conversation_id: `c-${randomUUID()}`,
      tool: 'look-up',
      arguments: {},
    }),
  );
  expect(held).toMatchObject({ outcome: 'completed', response: { held: true } });
  expect(beside).toMatchObject({ outcome: 'completed' });
});

test('form-submit: each submission has its own answer and record', async () => {
  const sites = await twoSites();
  const path = `/${sites[0].siteId}/form`;
  const forms: string[] = [];
  const conversations: string[] = [];
  for (const { siteId } of sites) {
    const form = { trigger: 'Form', name: 'Contact', url: system.receiver.url(path), fields: ['name:Name:Text'] };
    forms.push(await system.operator.createAction(siteId, { ...form, trigger: 'Form' }));
    const { conversation_id } = (await (await init(siteId)).json()) as { conversation_id: string };
    conversations.push(conversation_id);
  }
  const { held, beside } = await interleave(path, async (index) => {
    const { siteId = '' } = sites[index] ?? {};
    const body = { conversation_id: conversations[index], values: { name: `n${index}` } };
    const answer = await post(
      `/api/widgets/sites/${siteId}/forms/contact/submit`,
      { 'x-site-id': siteId, origin: PAGE },
      body,
    );
    return (await answer.json()) as { submission_id: string };
  });
  for (const [index, answer] of [held, beside].entries()) {
    const [record] = await system.finished(forms[index] ?? '', 1);
    expect(record).toMatchObject({ reference: answer.submission_id, success: true, sends: 1 });
  }
});

test('action-test: each Test reports its own attempt', async () => {
  const sites = await twoSites();
  const path = `/${sites[0].siteId}/tested`;
  const actions = [
    await system.eventAction(sites[0].siteId, path, ['message.sent']),
    await system.eventAction(sites[1].siteId, path, ['message.sent']),
  ];
  const { held, beside } = await interleave(path, (index) =>
    system.service.invoke('ActionTest', { org_id: sites[index]?.orgId, action_id: actions[index] }),
  );
  expect(held).toMatchObject({ success: true, result: { success: true, status: 200 } });
  expect(beside).toMatchObject({ success: true, result: { success: true, status: 200 } });
  for (const action of actions) expect(await system.finished(action, 1)).toHaveLength(1);
});

test('session-create and usage-report: each report stops its own conversation', async () => {
  const sites = await twoSites({ mode: 'Session Signed' });
  const path = `/${sites[0].siteId}/usage`;
  const usage_webhook = { url: system.receiver.url(path), secret: 'a usage webhook secret of 32 characters or more' };
  const keys = await Promise.all(sites.map(({ siteId }) => system.operator.generateServerSecret(siteId)));
  const sessions = await Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      const answer = await post(
        '/api/widget/session/create',
        { 'x-server-key': keys[index % 2] ?? '' },
        { usage_webhook },
      );
      return (await answer.json()) as { session_token: string; site_id: string };
    }),
  );
  expect(sessions.map(({ site_id }) => site_id)).toEqual([0, 1, 0, 1].map((index) => sites[index]?.siteId));
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, tts_chars: 0, tts_provider: '' };
  const { held, beside } = await interleave(path, (index) =>
    system.service.invoke('UsageReport', { session_token: sessions[index]?.session_token, usage }),
  );
  expect([held, beside]).toEqual([
    { success: true, should_continue: true, reported: true },
    { success: true, should_continue: true, reported: true },
  ]);
});

test('event-router and dispatcher: each batch logs and counts its own attempts, and none ends those of another one', async () => {
  const sites = await twoSites();
  const path = `/${sites[0].siteId}/events`;
  const release = holdFirst(path);
  const actions = [
    await system.eventAction(sites[0].siteId, path, ['message.sent']),
    await system.eventAction(sites[1].siteId, path, ['message.sent']),
  ];
  const [first, second] = sites;
  await system.operator.putEvent({ name: 'message.sent', ...first, data: {} });
  await until(() => system.receiver.to(path).length === 1);
  const counted = () => linesWith('"attempt":"1","Attempts"').length;
  const before = counted();
  await system.operator.putEvent({ name: 'message.sent', ...second, data: {} });
  await system.finished(actions[1] ?? '', 1);
  await until(() => counted() === before + 1);
  release();
  const [record] = await system.finished(actions[0] ?? '', 1);
  expect(record).toMatchObject({ success: true, sends: 1, attempt: 1 });
  await until(() => counted() === before + 2);
  // The router logs only what reaches no Action.
  for (const site of sites) {
    await system.operator.putEvent({ name: 'sms.sent', ...site, data: {} });
    await until(() => linesWith(site.orgId).length > 0);
  }
  expectOwnRequestIds(first.orgId, second.orgId);
});

test('widget-init, preflight and the default route: each answer and each line belong to their own request', async () => {
  const sites = [...(await twoSites()), ...(await twoSites())];
  const answers = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const { siteId = '' } = sites[index % 4] ?? {};
      const refused = index % 4 > 1;
      const [answer, preflight, unknown] = await Promise.all([
        init(siteId, refused ? `https://${siteId}.example` : PAGE),
        fetch(`${system.service.apiUrl}/api/widget/init?site=${siteId}`, {
          method: 'OPTIONS',
          headers: { origin: refused ? 'https://b.example' : PAGE, 'access-control-request-method': 'POST' },
        }),
        fetch(`${system.service.apiUrl}/api/${siteId}`),
      ]);
      const body = (await answer.json()) as { site_id?: string };
      expect(preflight.headers.get('access-control-allow-origin')).toBe(refused ? null : PAGE);
      expect(unknown.status).toBe(404);
      return [answer.status, body.site_id, refused ? undefined : siteId];
    }),
  );
  for (const [status, site, expected] of answers) {
    expect([status, site]).toEqual([expected === undefined ? 401 : 200, expected]);
  }
  expectOwnRequestIds(sites[2]?.siteId ?? '', sites[3]?.siteId ?? '');
});

test('dashboard-api: each call is answered for its own member', async () => {
  const sites = await twoSites();
  const memberships = members(
    dynamoDb(dynamoDbClient(system.service.aws)),
    system.cloud.outputs[OUTPUTS.configurationTable] ?? '',
  );
  for (const { orgId } of sites) {
    await addMember(
      orgId,
      { email: `${orgId}@a.example` },
      {
        ...system.management,
        members: memberships,
        ensureUser: async () => ({ sub: `user-of-${orgId}`, invited: false, verified: true }),
      },
    );
  }
  const organizationsOf = async (orgId: string): Promise<readonly string[]> => {
    const { payload } = await system.cloud.invoke(functionOf(functions, 'DashboardApi'), {
      version: '2.0',
      routeKey: 'GET /api/dashboard/me',
      rawPath: '/api/dashboard/me',
      headers: {},
      requestContext: {
        requestId: randomUUID(),
        http: { method: 'GET', sourceIp: '127.0.0.1' },
        authorizer: { jwt: { claims: { sub: `user-of-${orgId}` } } },
      },
    });
    return JSON.parse(JSON.parse(payload).body).organizations.map(({ org_id }: { org_id: string }) => org_id);
  };
  const asked = Array.from({ length: 12 }, (_, index) => sites[index % 2]?.orgId ?? '');
  expect(await Promise.all(asked.map(organizationsOf))).toEqual(asked.map((orgId) => [orgId]));
});

test('key-rotation: two invocations at once leave one ring that both know', async () => {
  const rotate = () => system.cloud.invoke(functionOf(functions, 'KeyRotation'), {});
  const results = await Promise.all([rotate(), rotate()]);
  expect(results.some(({ failed }) => !failed)).toBe(true);
  const [site] = await twoSites();
  expect((await init(site.siteId)).status).toBe(200);
});
