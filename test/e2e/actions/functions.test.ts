import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ActionInput } from '../../../src/contract/actions.ts';
import { createAction } from '../../../src/domain/actions/manage-actions.ts';
import { setEscalationTopics } from '../../../src/domain/organizations/manage-assistants.ts';
import { refusalOf } from '../../fakes/refusals.ts';
import { verifyWithStripe } from '../acceptance/receiver.ts';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

/** Tests AI-decided Actions, Forms, the usage webhook and the Test button, each with its deployed bundle. */

const PAGE = 'https://a.example';

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
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
});

describe('Form', () => {
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

  test('leaves no secret in the log', async () => {
    const stored = JSON.stringify(await system.storedRecords());
    for (const text of [stored, system.logs()]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('eyJ');
      expect(text).not.toContain('whsec_');
    }
  });
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
});

/** Returns the name of the conversations table, which is no output of the stack. */
async function conversationsTable(): Promise<string> {
  const arns = system.cloud.statements.flatMap(
    (statement) => JSON.stringify(statement).match(/table\/[^"]*Conversations[^"/]*/) ?? [],
  );
  return arns[0]?.replace('table/', '') ?? '';
}

function runPython(program: string, words: readonly string[], input: string): string | undefined {
  try {
    return execFileSync('python3', ['-c', program, ...words], { input, encoding: 'utf8' });
  } catch (error) {
    console.log(`Not compared with Python: ${error instanceof Error ? error.message : 'python3 does not run'}`);
    return undefined;
  }
}
