import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { cognitoClient } from '../../../src/adapters/aws-clients.ts';
import { userPoolLogins } from '../../../src/adapters/user-pool.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { expectContract } from '../../fakes/contract-answer.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { IN_PAYLOADS_ONLY } from '../../harness/logs/leaks.ts';
import { eventually, until } from '../../harness/until.ts';
import { sqsEvent } from '../../unit/lambdas/invocation.ts';
import { type LoginClient, logIn } from './login.ts';
import type { Operator } from './operator.ts';
import { type Receiver, verifyWithStripe } from './receiver.ts';

export type Service = {
  /** Settings of AWS clients for the account or emulator that runs the service. */
  readonly aws: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly baseUrl: string;
  readonly apiUrl: string;
  /** The outputs of the stack. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The dashboard's client at the login. */
  readonly loginClient: () => Promise<LoginClient>;
  /** Invokes a function by the id of its construct, such as `AiAction`. @returns its result */
  readonly invoke: (construct: string, payload: object) => Promise<unknown>;
};

const PAGE = 'https://shop.example.com';
const USAGE_SECRET = 'a usage webhook secret of 32 characters or more';

/** Creates the organization, the assistants and the Actions that the steps use. */
export async function prepare(operator: Operator, receiver: Receiver) {
  const orgId = await operator.createOrganization('Acceptance', 'paid');
  const siteId = await operator.createAssistant(orgId, {
    domain: 'shop.example.com',
    hourlyRateLimit: 1000,
    allowedDomains: ['https://Shop.Example.com/products'],
  });
  const signedSiteId = await operator.createAssistant(orgId, {
    domain: 'shop.example.com',
    hourlyRateLimit: 1000,
    mode: 'Session Signed',
  });
  const action = async (settings: Parameters<Operator['createAction']>[1], site = siteId) => {
    const id = await operator.createAction(site, settings);
    return { id, secret: await operator.signingSecret(id) };
  };
  return {
    orgId,
    siteId,
    signedSiteId,
    serverSecret: await operator.generateServerSecret(signedSiteId),
    event: await action({
      trigger: 'Event',
      name: 'Events',
      url: receiver.url('/event'),
      events: ['conversation.started', 'contact.created', 'message.sent'],
    }),
    otherSite: await action(
      { trigger: 'Event', name: 'Other', url: receiver.url('/other'), events: ['contact.created', 'message.sent'] },
      signedSiteId,
    ),
    form: await action({
      trigger: 'Form',
      name: 'Contact us',
      url: receiver.url('/form'),
      fields: ['name:Your name:Text:required', 'email:E-mail:Email', 'visits:Visits:Number'],
    }),
    signedForm: await action(
      { trigger: 'Form', name: 'Feedback', url: receiver.url('/feedback'), fields: ['text:Your words:Long text'] },
      signedSiteId,
    ),
    tool: await action({
      trigger: 'AI-decided',
      name: 'Order status',
      url: receiver.url('/tool'),
      description: 'Looks up the status of an order',
      parameters: { properties: { order: { type: 'integer' } }, required: ['order'] },
      feedBack: true,
    }),
  };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;

type ScenarioSystem = {
  readonly operator: Operator;
  readonly service: Service;
  readonly receiver: Receiver;
  readonly prepared: Prepared;
  /** Milliseconds that a step waits for an expected result. @default 15 s */
  readonly patienceMs?: number;
};

/** The steps of the scenario. A step throws when the service does not do what the spec says. */
export const STEPS: Readonly<Record<string, (system: ScenarioSystem) => Promise<void>>> = {
  'a preflight is answered for the Domain and refused for other origins': async ({ service, prepared }) => {
    const preflight = (url: string, origin: string) =>
      fetch(url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-site-id' },
      });
    const init = `${service.baseUrl}/api/widget/init`;
    const exact = await preflight(`${init}?site=${prepared.siteId}`, PAGE);
    assert.equal(exact.status, 204);
    assert.equal(exact.headers.get('access-control-allow-origin'), PAGE);
    assert.equal(exact.headers.get('vary'), 'Origin');
    const indexed = await preflight(init, PAGE);
    assert.equal(indexed.headers.get('access-control-allow-origin'), PAGE);
    const foreign = await preflight(`${init}?site=${prepared.siteId}`, 'https://evil.example');
    assert.equal(foreign.headers.get('access-control-allow-origin'), null);
    const form = await preflight(
      `${service.baseUrl}/api/widgets/sites/${prepared.siteId}/forms/contact-us/submit`,
      PAGE,
    );
    assert.equal(form.headers.get('access-control-allow-origin'), PAGE);
  },

  'an unknown route gets a 404': async ({ service }) => {
    const answer = await fetch(`${service.apiUrl}/api/nothing/here`);
    assert.equal(answer.status, 404);
    expect(await answer.json()).toEqual(errorBody('Not found'));
  },

  'widget init starts a conversation once, and its event arrives signed': async (system) => {
    const { service, prepared } = system;
    const answer = await init(
      service,
      { 'x-site-id': prepared.siteId, origin: PAGE },
      { referrer: 'https://a.example/' },
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), PAGE);
    const begun = await json(answer);
    const [request] = await arrivals(
      system,
      '/event',
      (envelope) => envelope.data.conversation_id === begun.conversation_id,
      1,
    );
    assert.ok(request);
    verifyWithStripe(request, prepared.event.secret);
    assert.equal(request.headers['user-agent'], 'Service-Integration/1.0');
    assert.equal(request.headers['x-service-trigger'], 'event');
    assert.equal(request.headers['x-service-trigger-ref'], 'conversation.started');
    const envelope = JSON.parse(request.body.toString());
    assert.equal(request.body.toString(), JSON.stringify(envelope), 'the body is compact JSON');
    assert.equal(envelope.site_id, prepared.siteId);
    assert.equal(envelope.org_id, prepared.orgId);
    expect(envelope.data).toEqual({
      conversation_id: begun.conversation_id,
      session_id: begun.session_id,
      visitor_id: begun.visitor_id,
      referrer: 'https://a.example/',
    });

    const again = await json(
      await init(service, { 'x-site-id': prepared.siteId, origin: PAGE }, { conversation_id: begun.conversation_id }),
    );
    assert.equal(again.conversation_id, begun.conversation_id);
  },

  'a backend creates a session token, and widget init accepts it': async ({ service, receiver, prepared }) => {
    const { answer, session } = await createSession(service, prepared, {
      user_id: 'u-1',
      context: { note: IN_PAYLOADS_ONLY },
    });
    assert.equal(answer.status, 200);
    assert.equal(session.site_id, prepared.signedSiteId);
    assert.equal(session.expires_in_seconds, 900);
    assert.match(session.expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    const admitted = await init(service, { 'x-session-token': session.session_token, origin: PAGE });
    assert.equal(admitted.status, 200);
    const { conversation_id } = await json(admitted);
    const form = `${service.baseUrl}/api/widgets/sites/${prepared.signedSiteId}/forms/feedback/submit`;
    const body = { conversation_id, values: { text: IN_PAYLOADS_ONLY } };
    const submitted = await post(form, { 'x-session-token': session.session_token, origin: PAGE }, body);
    assert.equal(submitted.status, 200);
    assert.equal(receiver.to('/feedback').filter((request) => request.body.includes(conversation_id)).length, 1);
    // A backend may also call session create through the distribution.
    const headers = { 'x-server-key': prepared.serverSecret };
    assert.equal((await post(`${service.baseUrl}/api/widget/session/create`, headers, {})).status, 200);
    const refused = await init(service, { 'x-site-id': prepared.signedSiteId, origin: PAGE });
    expect(await refused.json()).toEqual(errorBody('This site requires session token authentication'));
  },

  'a form submission arrives once, with cleaned values and a signature': async ({
    service,
    receiver,
    prepared,
    operator,
  }) => {
    const begun = await json(await init(service, { 'x-site-id': prepared.siteId, origin: PAGE }));
    expect(begun.forms.map((form: { slug: string }) => form.slug)).toEqual(['contact-us']);
    const body = {
      conversation_id: begun.conversation_id,
      client_key: 'the-same-submission',
      values: {
        name: 'Zoë 🙂',
        email: 'zoe@example.com',
        visits: 3,
        nested: { dropped: true },
        tags: [IN_PAYLOADS_ONLY, 1],
      },
    };
    const submit = () => submitForm(service, prepared.siteId, body);
    const first = await submit();
    assert.equal(first.status, 200);
    const { submission_id } = await json(first);
    assert.equal((await json(await submit())).submission_id, submission_id);
    const requests = receiver.to('/form').filter((r) => r.headers['x-service-trigger-ref'] === submission_id);
    assert.equal(requests.length, 1);
    const [request] = requests;
    assert.ok(request);
    verifyWithStripe(request, prepared.form.secret);
    expect(JSON.parse(request.body.toString())).toEqual({
      values: { name: 'Zoë 🙂', email: 'zoe@example.com', visits: 3, tags: [IN_PAYLOADS_ONLY, '1'] },
      conversation_id: begun.conversation_id,
      submission_id,
    });
    const [record] = await operator.deliveries(prepared.form.id);
    assert.equal(record?.success, true);
    assert.equal(record?.reference, submission_id);

    receiver.answer('/form', [503]);
    const failed = await submitForm(service, prepared.siteId, { ...body, client_key: 'one-that-fails' });
    assert.equal(failed.status, 502);
    receiver.answer('/form', [200]);
  },

  'a submission that the endpoint refuses is accepted by an escalation topic': async (system) => {
    const { service, receiver, prepared, operator } = system;
    const mailbox = await subscribedQueue(service, 'va-wave-escalation-acceptance');
    await operator.escalateTo(prepared.siteId, mailbox.topicArn);
    receiver.answer('/form', [500]);
    const begun = await json(await init(service, { 'x-site-id': prepared.siteId, origin: PAGE }));
    const values = { name: 'Escalated' };
    const body = { conversation_id: begun.conversation_id, values };
    const answer = await submitForm(service, prepared.siteId, body);
    receiver.answer('/form', [200]);
    await operator.escalateTo(prepared.siteId);
    assert.equal(answer.status, 200);
    const { submission_id } = await json(answer);
    expect(await mailbox.receive()).toEqual({
      site_id: prepared.siteId,
      form: 'contact-us',
      values,
      conversation_id: begun.conversation_id,
      submission_id,
    });
    const [record] = await operator.deliveries(prepared.form.id);
    assert.equal(record?.success, false, 'the endpoint itself refused it');
  },

  'a session token stays valid when the token keys are rotated twice': async ({ service, prepared }) => {
    const { session } = await createSession(service, prepared, {});
    expect(await service.invoke('KeyRotation', {})).toEqual({ keys: 2 });
    expect(await service.invoke('KeyRotation', {})).toEqual({ keys: 3 });
    const admitted = await init(service, { 'x-session-token': session.session_token, origin: PAGE });
    assert.equal(admitted.status, 200);
  },

  'an event reaches the Actions of its assistant, an organization-level event those of all assistants': async (
    system,
  ) => {
    const { operator, receiver, prepared } = system;
    await operator.putEvent({
      name: 'message.sent',
      orgId: prepared.orgId,
      siteId: prepared.siteId,
      data: { mark: 'site' },
    });
    await operator.putEvent({ name: 'contact.created', orgId: prepared.orgId, data: { mark: 'organization' } });
    const [site] = await arrivals(system, '/event', (e) => e.data.mark === 'site', 1);
    const [own] = await arrivals(system, '/event', (e) => e.data.mark === 'organization', 1);
    const [other] = await arrivals(system, '/other', (e) => e.data.mark === 'organization', 1);
    assert.ok(site && own && other);
    verifyWithStripe(other, prepared.otherSite.secret);
    assert.equal(JSON.parse(own.body.toString()).site_id, prepared.siteId);
    assert.equal(JSON.parse(other.body.toString()).site_id, prepared.signedSiteId);
    assert.equal(receiver.to('/other').filter((r) => r.body.includes('"site"')).length, 0);
  },

  'five Actions receive one event, and each has its own record': async (system) => {
    const { operator, receiver, prepared, patienceMs } = system;
    // The answers leave together, so that the dispatcher completes the records in shared calls.
    const all = Promise.withResolvers<void>();
    receiver.answer('/five', [200], async () => {
      if (receiver.to('/five').length === 5) all.resolve();
      await Promise.race([all.promise, pause(3000)]);
      return '{}';
    });
    const settings = { trigger: 'Event', url: receiver.url('/five'), events: ['contact.merged'] } as const;
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) {
      ids.push(await operator.createAction(prepared.siteId, { ...settings, name }));
    }
    await operator.putEvent({ name: 'contact.merged', orgId: prepared.orgId, siteId: prepared.siteId, data: {} });
    await until(async () => {
      const records = await Promise.all(ids.map((id) => operator.deliveries(id)));
      return records.every(([record]) => record?.state === 'succeeded');
    }, patienceMs);
    assert.equal(receiver.to('/five').length, 5);
  },

  'an event that the bus gives twice is sent once': async (system) => {
    const { service, prepared } = system;
    const event = (id: string) => ({
      id,
      'detail-type': 'message.sent',
      time: '2026-01-01T00:00:00Z',
      detail: { org_id: prepared.orgId, site_id: prepared.siteId, data: { mark: id } },
    });
    await service.invoke('EventRouter', sqsEvent(event('twice'), event('twice')));
    await arrivals(system, '/event', ({ id }) => id === 'twice', 1);
    await service.invoke('EventRouter', sqsEvent(event('next')));
    await arrivals(system, '/event', ({ id }) => id === 'next', 1);
    assert.equal((await arrivals(system, '/event', ({ id }) => id === 'twice', 1)).length, 1);
  },

  'a delivery that gets a 503 has three attempts, with delays of 2 s and 4 s': async (system) => {
    const { operator, receiver, prepared, patienceMs } = system;
    receiver.answer('/event', [503]);
    const data = { mark: 'retried', text: IN_PAYLOADS_ONLY };
    await operator.putEvent({ name: 'message.sent', orgId: prepared.orgId, siteId: prepared.siteId, data });
    const records = await eventually(async () => {
      const all = await operator.deliveries(prepared.event.id);
      const over = all.filter(({ payload, state }) => payload?.includes('"retried"') && state !== 'started');
      return over.length >= 3 ? over : undefined;
    }, patienceMs);
    receiver.answer('/event', [200]);
    const requests = receiver.to('/event').filter((request) => request.body.includes('"retried"'));
    assert.equal(requests.length, 3);
    for (const request of requests) verifyWithStripe(request, prepared.event.secret);
    assert.equal(new Set(requests.map((request) => request.body.toString())).size, 1, 'the envelope stays the same');
    const [first, second, third] = requests.map((request) => request.at);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    // SQS counts whole seconds. A poll may be late, but never early.
    assert.ok(second - first >= 1900 && third - second >= 3900, `${second - first} and ${third - second} ms`);
    expect(records.map((record) => [record.attempt, record.status, record.success])).toEqual([
      [3, 503, false],
      [2, 503, false],
      [1, 503, false],
    ]);
  },

  'an endpoint that has failed for an hour causes an event on the bus': async ({
    service,
    operator,
    receiver,
    prepared,
    patienceMs,
  }) => {
    receiver.answer('/failing', [410]);
    const settings = {
      trigger: 'Event',
      name: 'Failing',
      url: receiver.url('/failing'),
      events: ['sms.sent'],
    } as const;
    const pk = `failing#${await operator.createAction(prepared.siteId, settings)}`;
    const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(service.aws));
    const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
    const TableName = TableNames.find((name) => /Counters/.test(name)) ?? '';
    const seconds = Math.floor(Date.now() / 1000);
    const period = { failing_since: seconds - 3700, expires_at: seconds + 3600 };
    await dynamo.send(new PutCommand({ TableName, Item: { pk, ...period } }));
    await operator.putEvent({ name: 'sms.sent', orgId: prepared.orgId, siteId: prepared.siteId, data: {} });
    const Key = { pk };
    const signalledAt = async () =>
      (await dynamo.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item?.signalled_at;
    await until(async () => typeof (await signalledAt()) === 'number', patienceMs);
    // The event is put on the bus after the claim.
    await pause(500);
    dynamo.destroy();
  },

  'an event that is too large for a queue message is recorded': async ({ service, operator, prepared }) => {
    // The test invokes the router with 1.5 MB, more than the bus accepts.
    const numbers = Array.from({ length: 300_000 }, () => '1e20').join(',');
    const detail = `{"org_id":"${prepared.orgId}","site_id":"${prepared.siteId}","data":{"numbers":[${numbers}]}}`;
    const event = `{"id":"too-large","detail-type":"message.sent","time":"2026-01-01T00:00:00Z","detail":${detail}}`;
    await service.invoke('EventRouter', sqsEvent(event));
    const records = await operator.deliveries(prepared.event.id);
    assert.ok(records.some((record) => record.error?.code === 'payload_too_large' && record.reference === 'too-large'));
  },

  'the assistant lists its tools, and calls one five times at most': async ({
    service,
    receiver,
    prepared,
    operator,
  }) => {
    receiver.answer('/tool', [200], '{"status":"shipped","nested":{"a":1}}');
    const listed = await service.invoke('AiAction', { operation: 'listTools', site_id: prepared.siteId });
    assert.equal(JSON.stringify(listed).includes('"name":"order-status"'), true);
    const call = (order: unknown) =>
      service.invoke('AiAction', {
        operation: 'callTool',
        site_id: prepared.siteId,
        conversation_id: 'phone-call-1',
        tool: 'order-status',
        arguments: { order, extra: IN_PAYLOADS_ONLY },
      });
    const wrong = await call('seven');
    assert.match(JSON.stringify(wrong), /invalid_arguments.*order: must be an integer/);
    const results = [];
    for (let i = 0; i < 6; i++) results.push(await call(7));
    expect(results[0]).toEqual({
      success: true,
      outcome: 'completed',
      message: 'The Action completed.',
      response: { status: 'shipped' },
    });
    assert.match(JSON.stringify(results[5]), /limit_reached/);
    assert.equal(receiver.to('/tool').length, 5);
    for (const request of receiver.to('/tool')) {
      verifyWithStripe(request, prepared.tool.secret);
      assert.equal(request.body.toString(), '{"order":7}');
      assert.equal(request.headers['x-service-trigger'], 'ai');
      assert.equal(request.headers['x-service-trigger-ref'], 'phone-call-1');
    }
    assert.equal((await operator.deliveries(prepared.tool.id)).length, 5);
  },

  'requests above the daily quota are not sent': async ({ service, operator, receiver }) => {
    const orgId = await operator.createOrganization('Limited', 'free');
    const siteId = await operator.createAssistant(orgId, { domain: 'shop.example.com', hourlyRateLimit: 1000 });
    const url = receiver.url('/limited');
    const parameters = { properties: {}, required: [] };
    const tool = { trigger: 'AI-decided', name: 'Limited', description: 'Tells something', parameters } as const;
    const actionId = await operator.createAction(siteId, { ...tool, url, feedBack: false });
    await operator.setOutboundQuota(orgId, 1);
    const call = { operation: 'callTool', site_id: siteId, conversation_id: 'c-1', tool: 'limited', arguments: {} };
    expect(await service.invoke('AiAction', call)).toMatchObject({ outcome: 'completed' });
    expect(await service.invoke('AiAction', call)).toMatchObject({ outcome: 'unavailable' });
    assert.equal(receiver.to('/limited').length, 1);
    const [refused, made] = await operator.deliveries(actionId);
    assert.deepEqual([made?.error, refused?.error?.code], [null, 'quota_exceeded']);
  },

  'a usage report is signed, and its answer can stop the conversation': async ({ service, receiver, prepared }) => {
    const { session } = await createSession(service, prepared, {
      user_id: 'Zoë',
      usage_webhook: { url: receiver.url('/usage'), secret: USAGE_SECRET },
    });
    receiver.answer('/usage', [200], '{"should_continue": false}');
    const result = await service.invoke('UsageReport', {
      session_token: session.session_token,
      usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
    });
    expect(result).toEqual({ success: true, should_continue: false, reported: true });
    const [request] = receiver.to('/usage');
    assert.ok(request);
    const expected = createHmac('sha256', USAGE_SECRET).update(request.body).digest('hex');
    assert.equal(request.headers['x-webhook-signature'], expected);
    assert.match(request.body.toString(), /"user_id":"Zo\\u00eb"/);
  },

  'a test request returns its outcome': async ({ service, receiver, prepared }) => {
    const result = await service.invoke('ActionTest', { org_id: prepared.orgId, action_id: prepared.form.id });
    assert.match(JSON.stringify(result), /"success":true.*"status":200/);
    const request = receiver.to('/form').at(-1);
    assert.ok(request);
    verifyWithStripe(request, prepared.form.secret);
  },

  'an admin logs in and uses the dashboard': async (system) => {
    const { service } = system;
    const { email, password } = await addAdmin(system);
    const token = await logIn(await service.loginClient(), email, password);
    assert.equal((await fetch(`${service.baseUrl}/api/dashboard/me`)).status, 401);
    await workInDashboard(system, dashboardOf(service, token));
  },
};

/** As many as the domain of a company often has, and with the headers more than the API takes. */
const COOKIES = ['a', 'b', 'c'].map((name) => `${name}=${name.repeat(3000)}`).join('; ');

/** Returns a function that calls the dashboard's API with an access token and the domain's cookies. It returns the body of the answer. */
function dashboardOf({ baseUrl }: Service, token: string) {
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${baseUrl}/api/dashboard${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', cookie: COOKIES },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return json(answer);
  };
}

/** Adds an admin with a new login to the organization. */
export async function addAdmin({ service, prepared, operator }: ScenarioSystem) {
  const [email, password] = ['admin@shop.example', 'Correct-horse-7,-battery!'];
  const userPool = service.outputs[OUTPUTS.userPool] ?? '';
  const { login } = await userPoolLogins(cognitoClient(service.aws), userPool, password).create(email);
  await operator.addMember(prepared.orgId, email, 'admin');
  return { email, password, sub: login.sub };
}

/** Uses every part of the dashboard's API as that admin. @param call sends a request and returns the body of its answer */
export async function workInDashboard(
  { receiver, prepared }: ScenarioSystem,
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
  call: (method: string, path: string, body?: object) => Promise<any>,
): Promise<void> {
  const me = await call('GET', '/me');
  expect(me.organizations).toEqual([expect.objectContaining({ org_id: prepared.orgId, role: 'admin' })]);
  const organization = `/organizations/${prepared.orgId}`;
  const creation = {
    idempotency_key: 'an-assistant',
    assistant: { name: 'Made in the dashboard', domain: 'shop.example.com', hourly_rate_limit: 10 },
  };
  const assistant = await call('POST', `${organization}/assistants`, creation);
  assert.equal((await call('POST', `${organization}/assistants`, creation)).site_id, assistant.site_id);
  const site = `${organization}/assistants/${assistant.site_id}`;
  const renamed = await call('PATCH', site, { version: assistant.version, change: { name: 'Renamed' } });
  assert.equal(renamed.name, 'Renamed');
  const listed = await call('GET', `${organization}/assistants`);
  expect(listed.assistants).toContainEqual(renamed);
  assert.equal((await call('GET', `${site}/installation`)).requests_last_24_hours, 0);
  const action = await call('POST', `${site}/actions`, {
    idempotency_key: 'an-action',
    action: { trigger: 'Event', name: 'Tell', url: receiver.url('/dashboard'), events: ['contact.created'] },
  });
  const tested = await call('POST', `${organization}/actions/${action.action_id}/test`);
  assert.equal(tested.success, true);
  assert.ok(receiver.to('/dashboard').some(({ body }) => JSON.parse(body.toString()).site_id === assistant.site_id));
  const deleted = await call('DELETE', `${organization}/actions/${action.action_id}?version=${action.version}`);
  assert.equal(deleted.deleted, true);
  const audit = await call('GET', `${organization}/audit`);
  const kinds = audit.records.map(({ operation }: { operation: string }) => operation);
  const made = ['delete_action', 'create_action', 'update_assistant', 'create_assistant'];
  expect(kinds.slice(0, 5)).toEqual([...made, 'add_member']);
}

function init(service: Service, headers: Record<string, string>, body: object = {}): Promise<Response> {
  return post(`${service.baseUrl}/api/widget/init`, headers, body);
}

function submitForm(service: Service, siteId: string, body: object): Promise<Response> {
  const url = `${service.baseUrl}/api/widgets/sites/${siteId}/forms/contact-us/submit`;
  return post(url, { 'x-site-id': siteId, origin: PAGE }, body);
}

async function createSession(service: Service, prepared: Prepared, body: object) {
  const headers = { 'x-server-key': prepared.serverSecret };
  const answer = await post(`${service.apiUrl}/api/widget/session/create`, headers, body);
  return { answer, session: await json(answer) };
}

/** Calls a public route. @throws when the answer is not what the contract says */
async function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expectContract(new URL(url).pathname, { status: answer.status, body: await answer.clone().json() });
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
async function json(answer: Response): Promise<any> {
  return answer.json();
}

/** Waits until a path has received `count` requests whose envelope matches. @returns these requests */
async function arrivals(
  { receiver, patienceMs }: ScenarioSystem,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: envelopes are asserted field by field
  matches: (envelope: any) => boolean,
  count: number,
) {
  const found = () => receiver.to(path).filter((request) => matches(JSON.parse(request.body.toString())));
  await until(async () => found().length >= count, patienceMs);
  return found();
}

/** Subscribes a queue to a topic. A message in the queue shows that the topic's subscribers received it. */
async function subscribedQueue({ aws }: Service, name: string) {
  const sns = new SNSClient(aws);
  const sqs = new SQSClient(aws);
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const attributes = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: name }));
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: attributes.Attributes?.QueueArn }));
  return {
    topicArn: TopicArn ?? '',
    receive: async (): Promise<unknown> => {
      const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
      const notification: { Message: string } = JSON.parse(Messages?.[0]?.Body ?? '{}');
      return JSON.parse(notification.Message);
    },
  };
}
