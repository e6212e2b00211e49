import type { Action, ParameterProperty } from '../../../src/contract/actions.ts';
import { ACTION_TESTS_PER_MINUTE } from '../../../src/contract/limits.ts';
import { checkArguments } from '../../../src/domain/actions/parameters.ts';
import { testAction } from '../../../src/domain/actions/test-action.ts';
import { aFormAction, anAiAction, anEventAction, ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../fakes/delivery.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { countingIds } from '../../fakes/sources.ts';

function setUp(action: Action) {
  const fakes = attemptFakes();
  const perMinute = new FakeLimit();
  const ports = {
    ...fakes.ports,
    findAction: async (orgId: string, id: string) => (orgId === ORG_ID && id === action.action_id ? action : undefined),
    hitPerMinute: perMinute.hit,
    newId: countingIds(),
  };
  const test = (id = action.action_id, orgId = ORG_ID) => testAction(orgId, id, ports);
  const body = () => JSON.parse(Buffer.from(fakes.outbound.requests[0]?.body ?? []).toString());
  return { ...fakes, body, perMinute, test };
}

test('an Event Action receives test.ping, independent of its subscriptions', async () => {
  const { body, clock, log, outbound, test } = setUp(anEventAction());
  const result = await test();
  expect(body()).toEqual({
    id: 'id-1',
    event: 'test.ping',
    timestamp: clock.now().toISOString(),
    data: {},
    site_id: SITE_ID,
    org_id: ORG_ID,
  });
  expect(outbound.requests[0]?.headers).toMatchObject({
    'X-Service-Trigger': 'event',
    'X-Service-Trigger-Ref': 'test.ping',
  });
  expect(result).toMatchObject({ success: true, status: 200, latency_ms: 12, error: null });
  expect(log.all()).toEqual([
    expect.objectContaining({
      start: expect.objectContaining({ reference: 'id-1', attempt: 1, message_id: null }),
      result: expect.objectContaining({ status: 200 }),
    }),
  ]);
});

test('a Form Action receives a value for each of its fields', async () => {
  const types = ['Text', 'Email', 'Phone', 'Number', 'Long text'] as const;
  const fields = types.map((type) => ({ key: type, label: type, type, required: false }));
  const { body, outbound, test } = setUp(aFormAction({ form_fields: fields }));
  await test();
  expect(body()).toEqual({
    values: { Text: 'test', Email: 'test@example.com', Phone: '+15550100', Number: 1, 'Long text': 'test' },
    conversation_id: 'id-1',
    submission_id: 'id-1',
  });
  expect(outbound.requests[0]?.headers).toMatchObject({
    'X-Service-Trigger': 'form',
    'X-Service-Trigger-Ref': 'id-1',
  });
});

describe('an AI-decided Action receives valid arguments', () => {
  test.each<[string, ParameterProperty]>([
    ['a string', { type: 'string' }],
    ['an integer', { type: 'integer' }],
    ['a number', { type: 'number' }],
    ['a boolean', { type: 'boolean' }],
    ['an email address', { type: 'string', format: 'email' }],
    ['digits', { type: 'string', pattern: '^\\d{5}$' }],
    ['a code', { type: 'string', pattern: '^[A-Z]{2}-?\\d{4}$' }],
    ['a date', { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }],
    ['a telephone number', { type: 'string', pattern: '^\\+?[0-9]{7,15}$' }],
    ['an id', { type: 'string', pattern: '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' }],
    ['one of some texts', { type: 'string', enum: ['small', 'large'] }],
    ['one of some numbers', { type: 'integer', enum: [5, 10] }],
    ['the only boolean', { type: 'boolean', enum: [false] }],
    ['the one of some texts that matches', { type: 'string', enum: ['S', 'XL'], pattern: '^.{2}$' }],
    ['an address with a pattern', { type: 'string', format: 'email', pattern: '@example\\.com$' }],
  ])('%s', async (_, property) => {
    const parameters = { type: 'object' as const, properties: { it: property }, required: ['it'] };
    const { body, test } = setUp(anAiAction({ parameters }));
    await test();
    expect(checkArguments(parameters, body())).toEqual({ valid: true, values: body() });
  });

  test('without optional parameters that no sample matches', async () => {
    const odd = { type: 'string' as const, pattern: '^q{7}$' };
    const parameters = { type: 'object' as const, properties: { left: odd, needed: odd }, required: ['needed'] };
    const { body, test } = setUp(anAiAction({ parameters }));
    await test();
    expect(body()).toEqual({ needed: 'test' });
  });

  test('or none when it has no parameters', async () => {
    const { body, test } = setUp(anAiAction());
    await test();
    expect(body()).toEqual({});
  });
});

test('the result shows the sent request without its signature', async () => {
  const { clock, outbound, test } = setUp(anEventAction());
  const { request } = await test();
  const sent = outbound.requests[0];
  const t = Math.floor(clock.now().getTime() / 1000);
  expect(request).toEqual({
    method: 'POST',
    url: 'https://crm.example/events',
    headers: { ...sent?.headers, 'X-Service-Signature': `t=${t},v1=(not shown)` },
    body: Buffer.from(sent?.body ?? []).toString(),
  });
  expect((await setUp(anEventAction({ method: 'GET' })).test()).request.body).toBeNull();
});

test.each([answered(503), answered(404), answered(301), unanswered('timeout'), unanswered('blocked_address')])(
  'a failure is reported, and not tried again (%#)',
  async (outcome) => {
    const { log, outbound, test } = setUp(anEventAction());
    outbound.outcomes = [outcome];
    expect(await test()).toMatchObject({ success: false, status: outcome.status, error: outcome.failure });
    expect(outbound.requests).toHaveLength(1);
    expect(log.all()).toEqual([
      expect.objectContaining({ result: expect.objectContaining({ error: outcome.failure }) }),
    ]);
  },
);

test('a disabled Action can be tested before it is enabled', async () => {
  const { outbound, test } = setUp(anEventAction({ enabled: false }));
  expect((await test()).success).toBe(true);
  expect(outbound.requests).toHaveLength(1);
});

test('an unknown Action and an Action of another organization are refused with 404', async () => {
  const { outbound, test } = setUp(anEventAction());
  expect(await refusedWith(test('act_nobody'))).toEqual([404, 'action_id: no Action act_nobody']);
  expect(await refusedWith(test('act_event', 'org_other'))).toEqual([404, 'action_id: no Action act_event']);
  expect(outbound.requests).toEqual([]);
});

test('the limit of tests per minute and organization is enforced before anything is sent', async () => {
  const { outbound, perMinute, test } = setUp(anEventAction());
  await test();
  expect(perMinute.calls).toEqual([expect.objectContaining({ key: `action-test#${ORG_ID}`, limit: 10 })]);
  expect(ACTION_TESTS_PER_MINUTE).toBe(10);
  perMinute.decision = { allowed: false, retryAfterSeconds: 17 };
  const refusal = await refusalOf(test());
  expect([refusal.status, refusal.message, refusal.retryAfterSeconds]).toEqual([429, 'Rate limit exceeded', 17]);
  expect(outbound.requests).toHaveLength(1);
});
