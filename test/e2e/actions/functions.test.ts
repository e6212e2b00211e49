import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { SignJWT } from 'jose';
import type { ActionInput } from '../../../src/contract/actions.ts';
import { createAction, updateAction } from '../../../src/domain/actions/manage-actions.ts';
import { setEscalationTopics } from '../../../src/domain/organizations/manage-assistants.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { refusalOf } from '../../fakes/refusals.ts';
import { verifyWithStripe } from '../acceptance/receiver.ts';
import { killUnderStream } from '../events/killed-dispatcher.ts';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

/** Tests AI-decided Actions, Forms, the usage webhook, the Test button and a killed dispatcher, each with its deployed bundle. */

const PAGE = 'https://a.example';

let system: TestSystem;
/** Starts first and is awaited last, because it mostly waits and uses none of the other functions. */
let killed: Promise<void>;
beforeAll(async () => {
  system = await startTestSystem();
  killed = killUnderStream(system);
  killed.catch(() => undefined);
});
afterAll(() => system?.stop());

type Settings = Partial<ActionInput> & { readonly name: string; readonly trigger: ActionInput['trigger'] };

/** Creates an Action. Its endpoint is the receiver's path with the Action's name. */
async function action(siteId: string, settings: Settings & Record<string, unknown>) {
  const path = `/${siteId}/${settings.name.replaceAll(' ', '-')}`;
  const created = await createAction(siteId, { url: system.receiver.url(path), ...settings }, system.management);
  return {
    id: created.action_id,
    slug: created.slug,
    path,
    secret: await system.operator.signingSecret(created.action_id),
  };
}

describe('AI-decided', () => {
  const tool = (name: string, more: object = {}) =>
    ({ trigger: 'AI-decided', name, description: 'Does what its name says', ...more }) as const;
  const call = (siteId: string, slug: string, args: unknown = {}, conversation = `c-${randomUUID()}`) =>
    system.service.invoke('AiAction', {
      operation: 'callTool',
      site_id: siteId,
      conversation_id: conversation,
      tool: slug,
      arguments: args,
    });

  test('lists the enabled tools of the assistant, in a format that model APIs accept', async () => {
    const { orgId, siteId } = await system.organization();
    const otherSite = await system.operator.createAssistant(orgId, { domain: 'b.example', hourlyRateLimit: 10 });
    const parameters = {
      properties: {
        order: { type: 'string', pattern: '^[A-Z]{2}\\d+$', description: 'Its number' },
        gift: { type: 'boolean' },
      },
      required: ['order'],
    };
    await action(siteId, tool('Où est ma commande ?', { parameters }));
    await action(siteId, tool('Say hello'));
    await action(siteId, tool('Switched off', { enabled: false }));
    await action(otherSite, tool('Of another assistant'));
    const list = (site: string) => system.service.invoke('AiAction', { operation: 'listTools', site_id: site });
    const answer = await list(siteId);
    expect(answer).toEqual({
      success: true,
      tools: expect.arrayContaining([
        {
          name: 'ou-est-ma-commande',
          description: 'Does what its name says',
          input_schema: { type: 'object', ...parameters },
        },
        {
          name: 'say-hello',
          description: 'Does what its name says',
          input_schema: { type: 'object', properties: {}, required: [] },
        },
      ]),
    });
    const { tools } = answer as { tools: { name: string }[] };
    expect(tools).toHaveLength(2);
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(await list('site_nobody')).toEqual({ success: true, tools: [] });
  });

  test('refuses wrong arguments by field, without a request or a count, and drops unknown arguments', async () => {
    const { siteId } = await system.organization();
    const { slug, path } = await action(
      siteId,
      tool('Check', {
        parameters: {
          properties: {
            text: { type: 'string', pattern: '^(a+)+$' },
            mail: { type: 'string', format: 'email' },
            whole: { type: 'integer' },
            some: { type: 'number' },
            yes: { type: 'boolean' },
          },
          required: ['text'],
        },
      }),
    );
    const conversation = `c-${randomUUID()}`;
    const wrong: [object, string][] = [
      [{}, 'text: is required'],
      [{ text: null }, 'text: must be a string'],
      [{ text: 'b' }, 'text: must match the pattern'],
      // A backtracking engine would need 2^100000 steps.
      [{ text: `${'a'.repeat(100_000)}!` }, 'text: must match the pattern'],
      [{ text: 'a', mail: 'no address' }, 'mail: must be an email address'],
      [{ text: 'a', whole: 1.5 }, 'whole: must be an integer'],
      [{ text: 'a', some: '1' }, 'some: must be a number'],
      [{ text: 'a', yes: 1 }, 'yes: must be true or false'],
    ];
    const started = Date.now();
    for (const [args, problem] of wrong) {
      expect(await call(siteId, slug, args, conversation)).toEqual({
        success: true,
        outcome: 'invalid_arguments',
        message: `The arguments are wrong. ${problem}`,
      });
    }
    expect(Date.now() - started).toBeLessThan(4000);
    expect(system.receiver.to(path)).toHaveLength(0);
    const right = JSON.parse(
      '{"text":"aaa","mail":"a@b.example","whole":2.0,"some":-1.5,"yes":false,"extra":1,"__proto__":{"x":1}}',
    );
    expect(await call(siteId, slug, right, conversation)).toMatchObject({ outcome: 'completed' });
    expect(system.receiver.to(path).map((request) => JSON.parse(request.body.toString()))).toEqual([
      { text: 'aaa', mail: 'a@b.example', whole: 2, some: -1.5, yes: false },
    ]);
    expect(await call(siteId, 'no-such-tool')).toMatchObject({ outcome: 'unknown_tool' });
  });

  test('refuses to save a pattern that a linear-time engine does not support', async () => {
    const { siteId } = await system.organization();
    for (const pattern of ['(?=a)b', '(a)\\1', '(?<!a)b', '[a', '(a{1,1000}){1,1000}']) {
      const parameters = { properties: { text: { type: 'string', pattern } } };
      const refusal = await refusalOf(
        createAction(siteId, { ...tool('Bad'), url: PAGE, parameters }, system.management),
      );
      expect(refusal.status).toBe(400);
      expect(refusal.message).toContain('parameters.properties.text.pattern: is not supported');
    }
  });

  test('makes exactly five of 20 concurrent calls, each signed and recorded on the conversation', async () => {
    const { siteId } = await system.organization();
    const { slug, path, secret, id } = await action(siteId, tool('Busy'));
    system.receiver.answer(path, [200, 503, 200, 404, 200]);
    const conversation = `c-${randomUUID()}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(siteId, slug, {}, conversation)));
    const outcomes = answers.map((answer) => (answer as { outcome: string }).outcome).sort();
    expect(outcomes).toEqual([
      ...Array(3).fill('completed'),
      ...Array(15).fill('limit_reached'),
      ...Array(2).fill('unavailable'),
    ]);
    expect(answers).toContainEqual({
      success: true,
      outcome: 'limit_reached',
      message: 'This Action has reached its maximum use in this conversation. Offer human help.',
    });
    expect(answers).toContainEqual({
      success: true,
      outcome: 'unavailable',
      message: 'The external service is unavailable. Offer a follow-up.',
    });
    expect(answers).toContainEqual({ success: true, outcome: 'completed', message: 'The Action completed.' });
    const requests = system.receiver.to(path);
    expect(requests).toHaveLength(5);
    for (const request of requests) {
      verifyWithStripe(request, secret);
      expect(request.headers).toMatchObject({ 'x-service-trigger': 'ai', 'x-service-trigger-ref': conversation });
      expect(request.body.toString()).toBe('{}');
    }
    expect(await system.operator.deliveries(id)).toHaveLength(5);

    const { Items = [] } = await system.dynamo.send(
      new QueryCommand({
        TableName: await conversationsTable(),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :calls)',
        ExpressionAttributeValues: { ':pk': `SITE#${siteId}#CONVERSATION#${conversation}`, ':calls': 'CALL#' },
      }),
    );
    const calls = Items.map((item) => item.call);
    expect(calls.map(({ status }) => status).sort()).toEqual([200, 200, 200, 404, 503]);
    for (const recorded of calls) {
      expect(recorded).toMatchObject({ action_id: id, action_name: 'Busy', latency_ms: expect.any(Number) });
      expect(recorded.error === null).toBe(recorded.status === 200);
    }
    expect(await call(siteId, slug)).toMatchObject({ outcome: 'completed' });
  });

  test('returns to the assistant what the Action configures: nothing, scalars, mapped paths, or 500 characters', async () => {
    const { siteId } = await system.organization();
    const told = async (name: string, body: string, more: object) => {
      const { slug, path } = await action(siteId, tool(name, more));
      system.receiver.answer(path, [200], body);
      return call(siteId, slug);
    };
    const completed = { success: true, outcome: 'completed', message: 'The Action completed.' };
    const order = '{"order":{"status":"sent","lines":[{"sku":"x"}]},"total":1.5,"paid":true,"note":null,"name":"Zoë"}';
    const fed = { feed_response_back: true };
    const map = (paths: Record<string, string>) => ({ ...fed, response_field_map: paths });
    const huge = `{"status":"sent","filler":"${'x'.repeat(1024 * 1024)}"}`;
    const deep = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"status":"sent"}`;
    const [silent, scalars, mapped, prototype, text, cut, nested] = await Promise.all([
      told('Silent', order, {}),
      told('Scalars', order, fed),
      told('Mapped', order, map({ state: '$.order.status', sku: '$.order.lines.0.sku', gone: '$.a.b' })),
      told(
        'Prototype',
        order,
        map({ a: '$.constructor', b: '$.__proto__', c: '$.order.toString', d: '$.name.length' }),
      ),
      told('Text', `<p>${'é'.repeat(600)}`, fed),
      told('Huge', huge, fed),
      told('Deep', deep, map({ status: '$.status', deep: '$.deep' })),
    ]);
    expect(silent).toEqual(completed);
    expect(scalars).toEqual({ ...completed, response: { total: 1.5, paid: true, note: null, name: 'Zoë' } });
    expect(mapped).toEqual({ ...completed, response: { state: 'sent', sku: 'x' } });
    expect(prototype).toEqual({ ...completed, response: {} });
    expect(text).toEqual({ ...completed, response: `<p>${'é'.repeat(497)}` });
    // Only the first megabyte is read, which is not valid JSON.
    expect(cut).toEqual({ ...completed, response: huge.slice(0, 500) });
    expect(nested).toEqual({ ...completed, response: { status: 'sent' } });
  });

  test('reports an endpoint as unavailable after five seconds, and calls it once', async () => {
    const { siteId } = await system.organization();
    const { slug, path, id } = await action(siteId, tool('Slow'));
    system.receiver.answer(path, [200], () => pause(6000, '{}'));
    expect(await call(siteId, slug)).toMatchObject({ outcome: 'unavailable' });
    expect(system.receiver.to(path)).toHaveLength(1);
    expect(await system.operator.deliveries(id)).toEqual([
      expect.objectContaining({ success: false, status: null, error: expect.objectContaining({ code: 'timeout' }) }),
    ]);
  });
});

describe('Form', () => {
  test('accepts a submission when the endpoint or a topic accepts it, and otherwise answers 502', async () => {
    const sns = new SNSClient(system.service.aws);
    const { TopicArn: topic = '' } = await sns.send(new CreateTopicCommand({ Name: 'va-wave-escalation-forms' }));
    const gone = topic.replace('escalation-forms', 'escalation-gone');
    const cases: [endpoint: number, topics: string[], status: number][] = [
      [200, [], 200],
      [200, [topic], 200],
      [200, [gone], 200],
      [500, [], 502],
      [500, [topic], 200],
      [500, [gone], 502],
      [500, [gone, topic], 200],
    ];
    await Promise.all(
      cases.map(async ([endpoint, topics, expected]) => {
        const { siteId, submit, form } = await aForm();
        if (topics.length > 0) await setEscalationTopics(siteId, topics, system.management);
        system.receiver.answer(form.path, [endpoint]);
        const answer = await submit();
        const body = await answer.json();
        expect([endpoint, topics, answer.status]).toEqual([endpoint, topics, expected]);
        expect(body).toEqual(
          expected === 200
            ? { success: true, submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }
            : errorBody('The submission could not be delivered'),
        );
        const [request, ...others] = system.receiver.to(form.path);
        expect(others).toEqual([]);
        if (request === undefined) throw new Error('The endpoint received no request');
        verifyWithStripe(request, form.secret);
        const { submission_id } = JSON.parse(request.body.toString());
        expect(request.headers).toMatchObject({ 'x-service-trigger': 'form', 'x-service-trigger-ref': submission_id });
        // The delivery log has the endpoint's outcome. The function's log has both outcomes.
        expect(await system.operator.deliveries(form.id)).toEqual([
          expect.objectContaining({ reference: submission_id, status: endpoint, success: endpoint === 200, sends: 1 }),
        ]);
        const line = system
          .logs()
          .split('\n')
          .find((text) => text.includes(submission_id) && text.includes('Forwarded'));
        const escalation = topics.length === 0 ? 'none' : topics.includes(topic) ? 'accepted' : 'failed';
        expect(JSON.parse(line ?? '{}')).toMatchObject({ endpoint: endpoint === 200, escalation });
      }),
    );
    sns.destroy();
  });

  test("refuses to set a topic outside the prefix, and the function's role does not allow it either", async () => {
    const { siteId, submit } = await aForm();
    const foreign = 'arn:aws:sns:us-east-1:000000000000:somebody-elses-alarms';
    const refusal = await refusalOf(setEscalationTopics(siteId, [foreign], system.management));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('va-wave-escalation-')]);
    const assistant = await system.management.store.findAssistant(siteId);
    if (assistant === undefined) throw new Error('The assistant is missing');
    const next = { ...assistant, escalation_topics: [foreign], version: assistant.version + 1 };
    await system.management.store.replaceAssistant(assistant, next);
    expect((await submit()).status).toBe(200);
    expect(system.cloud.denials.map((denial) => denial.message).join('\n')).toContain('sns:Publish');
  });

  async function aForm() {
    const orgId = await system.operator.createOrganization('Forms', 'paid');
    const siteId = await system.operator.createAssistant(orgId, {
      domain: 'a.example',
      hourlyRateLimit: 1000,
      allowedDomains: ['a.example'],
    });
    const form_fields = [{ key: 'name', label: 'Name', type: 'Text' as const, required: true }];
    const form = await action(siteId, { trigger: 'Form', name: 'Contact', form_fields });
    const headers = { 'content-type': 'application/json', 'x-site-id': siteId, origin: PAGE };
    const post = (path: string, body: object) =>
      fetch(`${system.service.apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { conversation_id } = (await (await post('/api/widget/init', {})).json()) as { conversation_id: string };
    const submit = () =>
      post(`/api/widgets/sites/${siteId}/forms/contact/submit`, { conversation_id, values: { name: 'Zoë' } });
    return { siteId, form, submit };
  }
});

describe('the usage webhook', () => {
  const SECRET = 'a usage webhook secret of 32 characters or more';
  const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30, tts_chars: 5, tts_provider: 'Pollÿ' };
  let serverKey: string;
  let siteId: string;
  beforeAll(async () => {
    const orgId = await system.operator.createOrganization('Usage', 'paid');
    siteId = await system.operator.createAssistant(orgId, {
      domain: 'a.example',
      hourlyRateLimit: 1000,
      mode: 'Session Signed',
    });
    serverKey = await system.operator.generateServerSecret(siteId);
  });

  async function session(url?: string): Promise<string> {
    const answer = await fetch(`${system.service.apiUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-server-key': serverKey },
      body: JSON.stringify({ user_id: 'Zoë \u007f🙂', ...(url && { usage_webhook: { url, secret: SECRET } }) }),
    });
    return ((await answer.json()) as { session_token: string }).session_token;
  }
  const report = (session_token: string) => system.service.invoke('UsageReport', { session_token, usage });

  test('receives each turn in canonical JSON, with the signature that Python computes', async () => {
    const token = await session(system.receiver.url('/usage/canonical'));
    for (let turn = 0; turn < 2; turn++) {
      expect(await report(token)).toEqual({ success: true, should_continue: true, reported: true });
    }
    const [first, second] = system.receiver.to('/usage/canonical');
    const text = first?.body.toString() ?? '';
    const body = JSON.parse(text);
    expect(body).toEqual({
      session_id: expect.any(String),
      user_id: 'Zoë \u007f🙂',
      site_id: siteId,
      usage,
      timestamp: Number(first?.headers['x-webhook-timestamp']),
      nonce: expect.any(String),
    });
    expect(JSON.parse(second?.body.toString() ?? '').nonce).not.toBe(body.nonce);
    expect(first?.headers['x-webhook-signature']).toBe(createHmac('sha256', SECRET).update(text).digest('hex'));
    const [record] = (await system.operator.deliveries(`usage_${siteId}`)).filter(
      (one) => one.reference === body.nonce,
    );
    expect(record).toMatchObject({ trigger: 'usage', payload: text, success: true, sends: 1 });
    const program = [
      'import hashlib, hmac, json, sys',
      'body = json.dumps(json.loads(sys.stdin.read()), sort_keys=True, separators=(",", ":"))',
      'print(hmac.new(sys.argv[1].encode(), body.encode(), hashlib.sha256).hexdigest())',
    ].join('\n');
    const python = runPython(program, [SECRET], text);
    if (python !== undefined) expect(first?.headers['x-webhook-signature']).toBe(python.trim());
  });

  test('stops the conversation only with status 200 and should_continue false', async () => {
    const replies: [name: string, status: number, body: string, goesOn: boolean][] = [
      ['stop', 200, '{"should_continue": false, "reason": "budget"}', false],
      ['201', 201, '{"should_continue": false}', true],
      ['202', 202, '{"should_continue": false}', true],
      ['500', 500, '{"should_continue": false}', true],
      ['302', 302, '{"should_continue": false}', true],
      ['go-on', 200, '{"should_continue": true}', true],
      ['text', 200, '{"should_continue": "false"}', true],
      ['null', 200, '{"should_continue": null}', true],
      ['no-json', 200, 'should_continue: false', true],
      ['array', 200, '[{"should_continue": false}]', true],
      ['empty', 200, '', true],
      ['huge', 200, `{"filler":"${'x'.repeat(1024 * 1024)}","should_continue": false}`, true],
      ['slow', 200, 'slow', true],
    ];
    await Promise.all(
      replies.map(async ([name, status, body, goesOn]) => {
        const path = `/usage/${name}`;
        const stop = '{"should_continue": false}';
        system.receiver.answer(path, [status], name === 'slow' ? () => pause(5500, stop) : body);
        const token = await session(system.receiver.url(path));
        expect([name, await report(token)]).toEqual([name, { success: true, should_continue: goesOn, reported: true }]);
        expect([name, system.receiver.to(path).length]).toEqual([name, 1]);
      }),
    );
  });

  test('at a private address receives no request, the conversation continues, and the log has the reason', async () => {
    const token = await session('https://10.0.0.1/usage');
    expect(await report(token)).toEqual({ success: true, should_continue: true, reported: true });
    const records = await system.operator.deliveries(`usage_${siteId}`);
    expect(records).toContainEqual(
      expect.objectContaining({ status: null, error: expect.objectContaining({ code: 'blocked_address' }) }),
    );
  });

  test('is not called for a session without one', async () => {
    const requests = () => system.receiver.requests.filter(({ path }) => path.startsWith('/usage/')).length;
    const before = requests();
    const logged = (await system.operator.deliveries(`usage_${siteId}`)).length;
    expect(await report(await session())).toEqual({ success: true, should_continue: true, reported: false });
    expect(requests()).toBe(before);
    expect(await system.operator.deliveries(`usage_${siteId}`)).toHaveLength(logged);
  });

  test('receives a turn whose token expired at most fifteen minutes ago; other tokens are refused', async () => {
    const webhook = { url: system.receiver.url('/usage/expired'), secret: SECRET };
    const now = Math.floor(Date.now() / 1000);
    const signed = async (expired: number) => {
      const claims = {
        sub: 'u',
        jti: 's',
        site_id: siteId,
        usage_webhook: webhook,
        iat: now - 7200,
        exp: now - expired,
      };
      const key = await tokenKey();
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(Buffer.from(key.key));
    };
    expect(await report(await signed(0))).toMatchObject({ success: true, reported: true });
    expect(await report(await signed(880))).toMatchObject({ success: true, reported: true });
    const refused = {
      success: false,
      code: 'session_token_invalid',
      status: 401,
      error: 'Invalid or expired session token',
    };
    expect(await report(await signed(920))).toEqual(refused);
    expect(await report(`${await signed(0)}x`)).toEqual(refused);
    expect(await report('no token')).toEqual(refused);
    expect(system.receiver.to('/usage/expired')).toHaveLength(2);
  });

  test('leaves no secret in the log', async () => {
    const stored = JSON.stringify(await system.storedRecords());
    for (const text of [stored, system.logs()]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('eyJ');
      expect(text).not.toContain('whsec_');
    }
  });

  /** Returns the signing key of the session tokens, as the functions read it. */
  async function tokenKey(): Promise<{ kid: string; key: string }> {
    const secrets = new SecretsManagerClient(system.service.aws);
    const id = system.cloud.statements.flatMap(
      (statement) => JSON.stringify(statement).match(/arn:[^"]*KeysToken[^"]*/) ?? [],
    )[0];
    const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId: id }));
    secrets.destroy();
    const ring = JSON.parse(SecretString);
    return Array.isArray(ring) ? ring[0] : ring;
  }
});

describe('the Test button', () => {
  test('sends one signed request for every trigger, also for a disabled Action, and reports the outcome', async () => {
    const { orgId, siteId } = await system.organization();
    const kinds: [string, Settings & Record<string, unknown>, object][] = [
      [
        'event',
        { trigger: 'Event', name: 'E', events: ['sms.sent'], enabled: false },
        { event: 'test.ping', data: {} },
      ],
      [
        'ai',
        {
          trigger: 'AI-decided',
          name: 'A',
          description: 'Does what its name says',
          parameters: {
            type: 'object',
            properties: { code: { type: 'string', pattern: '^[A-Z]{2}\\d{2}$' } },
            required: ['code'],
          },
        },
        { code: 'AB12' },
      ],
      [
        'form',
        { trigger: 'Form', name: 'F', form_fields: [{ key: 'mail', label: 'Mail', type: 'Email', required: true }] },
        { values: { mail: 'test@example.com' } },
      ],
    ];
    for (const [trigger, settings, body] of kinds) {
      const { id, path, secret } = await action(siteId, settings);
      system.receiver.answer(path, [503, 200]);
      const test = () => system.service.invoke('ActionTest', { org_id: orgId, action_id: id });
      const shown = {
        headers: expect.objectContaining({ 'X-Service-Signature': expect.stringMatching(/^t=\d+,v1=\(not shown\)$/) }),
      };
      expect(await test()).toMatchObject({
        success: true,
        result: {
          success: false,
          status: 503,
          latency_ms: expect.any(Number),
          error: { code: 'http_status' },
          request: shown,
        },
      });
      expect(await test()).toMatchObject({ success: true, result: { success: true, status: 200, error: null } });
      const requests = system.receiver.to(path);
      expect(requests).toHaveLength(2);
      for (const request of requests) {
        verifyWithStripe(request, secret);
        expect(request.headers['x-service-trigger']).toBe(trigger);
        expect(JSON.parse(request.body.toString())).toMatchObject(body);
      }
      // The newest record is first.
      expect((await system.operator.deliveries(id)).map(({ status, trigger: kind }) => [status, kind])).toEqual([
        [200, trigger],
        [503, trigger],
      ]);
    }
    expect(await system.service.invoke('ActionTest', { org_id: orgId, action_id: 'act_nobody' })).toEqual({
      success: false,
      code: 'action_not_found',
      status: 404,
      error: 'action_id: no Action act_nobody',
    });
  });

  test('sends ten of 25 concurrent test requests, because the limit is per organization', async () => {
    const { orgId, siteId } = await system.organization();
    const first = await action(siteId, { trigger: 'Event', name: 'One', events: ['sms.sent'] });
    const second = await action(siteId, { trigger: 'Event', name: 'Two', events: ['sms.sent'] });
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        system.service.invoke('ActionTest', { org_id: orgId, action_id: i % 2 ? first.id : second.id }),
      ),
    );
    expect(answers.map((answer) => JSON.stringify(answer)).filter(isRateLimited)).toHaveLength(15);
    expect(system.receiver.to(first.path).length + system.receiver.to(second.path).length).toBe(10);
    const other = await system.organization();
    const free = await action(other.siteId, { trigger: 'Event', name: 'Free', events: ['sms.sent'] });
    expect(await system.service.invoke('ActionTest', { org_id: other.orgId, action_id: free.id })).toMatchObject({
      success: true,
    });
    // Another organization's Action is unknown.
    expect(await system.service.invoke('ActionTest', { org_id: other.orgId, action_id: first.id })).toMatchObject({
      success: false,
    });
  });

  test('sends the request to the current endpoint of the Action', async () => {
    const { orgId, siteId } = await system.organization();
    const { id, path } = await action(siteId, { trigger: 'Event', name: 'Moves', events: ['sms.sent'] });
    await updateAction(id, { url: system.receiver.url('/moved-to'), method: 'GET' }, system.management);
    expect(await system.service.invoke('ActionTest', { org_id: orgId, action_id: id })).toMatchObject({
      success: true,
    });
    expect(system.receiver.to(path)).toHaveLength(0);
    expect(system.receiver.to('/moved-to').map(({ method, body }) => [method, body.length])).toEqual([['GET', 0]]);
  });
});

test('loses no event when the dispatcher is killed, and sends only interrupted requests again', () => killed, 75_000);

/** Returns the name of the conversations table, which is no output of the stack. */
async function conversationsTable(): Promise<string> {
  const arns = system.cloud.statements.flatMap(
    (statement) => JSON.stringify(statement).match(/table\/[^"]*Conversations[^"/]*/) ?? [],
  );
  return arns[0]?.replace('table/', '') ?? '';
}

const isRateLimited = (answer: string) => /"code":"rate_limit_exceeded","status":429/.test(answer);

function runPython(program: string, words: readonly string[], input: string): string | undefined {
  try {
    return execFileSync('python3', ['-c', program, ...words], { input, encoding: 'utf8' });
  } catch (error) {
    console.log(`Not compared with Python: ${error instanceof Error ? error.message : 'python3 does not run'}`);
    return undefined;
  }
}
