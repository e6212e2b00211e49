import { randomUUID } from 'node:crypto';
import type { Action, ParameterProperty } from '../../../../src/contract/actions.ts';
import { checkArguments } from '../../../../src/domain/actions/parameters.ts';
import { testAction } from '../../../../src/domain/actions/test-action.ts';
import { responseAnswer } from '../../../../src/domain/delivery/outcome.ts';
import { aFormAction, anAiAction, anEventAction, ORG_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { answered, attemptFakes, DELIVERY, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';
import { FakeLimit } from '../../../fakes/limits.ts';
import { refusalOf } from '../../../fakes/refusals.ts';
import { fakeConfiguration } from '../../../fakes/widget.ts';

function setUp(action: Action) {
  const fakes = attemptFakes();
  const perMinute = new FakeLimit();
  const context = {
    ...fakes.context,
    configuration: fakeConfiguration({
      findAction: async (orgId, id) => (orgId === ORG_ID && id === action.action_id ? action : undefined),
    }),
    counters: { hitPerMinute: perMinute.hit, hitPerHour: failing('not counted') },
  };
  const test = (id = action.action_id, orgId = ORG_ID, change = {}) =>
    testAction(orgId, id, context, fakes.invocation, change);
  const sent = async () => {
    await test();
    const request = fakes.outbound.requests[0];
    return { headers: request?.headers, body: JSON.parse(Buffer.from(request?.body ?? []).toString()) };
  };
  return { ...fakes, perMinute, test, sent };
}

test('an Event Action receives test.ping, independent of its subscriptions, and the test is logged', async () => {
  const { clock, log, sent } = setUp(anEventAction());
  const timestamp = clock
    .now()
    .toISOString()
    .replace(/\.\d+Z/, 'Z');
  expect(await sent()).toEqual({
    headers: expect.objectContaining({ 'X-Service-Trigger': 'event', 'X-Service-Trigger-Ref': 'test.ping' }),
    body: { id: 'id-1', event: 'test.ping', timestamp, data: {}, site_id: SITE_ID, org_id: ORG_ID },
  });
  expect(await log.all()).toMatchObject([{ reference: 'id-1', attempt: 1, status: 200 }]);
});

test('a Form Action receives a value for each of its fields', async () => {
  const types = ['Text', 'Email', 'Phone', 'Number', 'Long text'] as const;
  const form_fields = types.map((type) => ({ key: type, label: type, type, required: false }));
  const values = { Text: 'test', Email: 'test@example.com', Phone: '+15550100', Number: 1, 'Long text': 'test' };
  expect(await setUp(aFormAction({ form_fields })).sent()).toEqual({
    headers: expect.objectContaining({ 'X-Service-Trigger': 'form', 'X-Service-Trigger-Ref': 'id-1' }),
    body: { values, conversation_id: 'test-id-2', submission_id: 'id-1' },
  });
});

describe('a test has the fields of a real request, each of the same type and form', () => {
  const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
  const FORMS = { uuid: UUID, test: `test-${UUID}`, seconds: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ' };
  const formOf = (value: unknown) => {
    if (typeof value !== 'string') return typeof value;
    return Object.entries(FORMS).find(([, form]) => new RegExp(`^${form}$`).test(value))?.[0] ?? 'text';
  };
  const formsOf = (body: object) => Object.entries(body).map(([name, value]) => [name, formOf(value)]);
  const sentBy = async (action: Action) => {
    const { invocation, sent } = setUp(action);
    Object.assign(invocation, { newId: randomUUID });
    return sent();
  };
  const reference = 'X-Service-Trigger-Ref';

  test('of an event that the bus has delivered', async () => {
    const { headers, body } = await sentBy(anEventAction());
    expect(formsOf(body)).toEqual(formsOf({ ...DELIVERY.envelope, id: randomUUID() }));
    expect(formsOf(body)).toContainEqual(['timestamp', 'seconds']);
    expect(headers?.[reference]).toBe(body.event);
  });

  test('of a form, but for the conversation, which is none', async () => {
    const { headers, body } = await sentBy(aFormAction());
    expect(formsOf(body)).toEqual([
      ['values', 'object'],
      ['conversation_id', 'test'],
      ['submission_id', 'uuid'],
    ]);
    expect(headers?.[reference]).toBe(body.submission_id);
  });

  test('of a call of the assistant, but for the conversation, which is none', async () => {
    const { headers } = await sentBy(anAiAction());
    expect(formOf(headers?.[reference])).toBe('test');
  });
});

describe('an AI-decided Action receives valid arguments', () => {
  test.each<[string, ParameterProperty]>([
    ['an integer', { type: 'integer' }],
    ['a boolean', { type: 'boolean' }],
    ['an email address', { type: 'string', format: 'email' }],
    ['digits', { type: 'string', pattern: '^\\d{5}$' }],
    ['a code', { type: 'string', pattern: '^[A-Z]{2}-?\\d{4}$' }],
    ['a date', { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }],
    ['a telephone number', { type: 'string', pattern: '^\\+?[0-9]{7,15}$' }],
    ['an id', { type: 'string', pattern: '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' }],
    ['one of some numbers', { type: 'integer', enum: [5, 10] }],
    ['the one of some texts that matches', { type: 'string', enum: ['S', 'XL'], pattern: '^.{2}$' }],
    ['an address with a pattern', { type: 'string', format: 'email', pattern: '@example\\.com$' }],
  ])('%s', async (_, property) => {
    const parameters = { type: 'object' as const, properties: { it: property }, required: ['it'] };
    const { body } = await setUp(anAiAction({ parameters })).sent();
    expect(checkArguments(parameters, body)).toEqual({ isValid: true, values: body });
  });

  test('without optional parameters that no sample matches', async () => {
    const odd = { type: 'string' as const, pattern: '^q{7}$' };
    const parameters = { type: 'object' as const, properties: { left: odd, needed: odd }, required: ['needed'] };
    expect((await setUp(anAiAction({ parameters })).sent()).body).toEqual({ needed: 'test' });
    expect((await setUp(anAiAction()).sent()).body).toEqual({});
  });
});

test('the result has the outcome and the sent request without its signature', async () => {
  const { clock, outbound, test } = setUp(anEventAction());
  const result = await test();
  const { headers, body } = outbound.requests[0] ?? {};
  const t = Math.floor(clock.now().getTime() / 1000);
  expect(result).toMatchObject({ success: true, status: 200, latency_ms: 12, error: null });
  expect(result.request).toEqual({
    method: 'POST',
    url: 'https://crm.example/events',
    headers: { ...headers, 'X-Service-Signature': `t=${t},v1=(not shown)` },
    body: Buffer.from(body ?? []).toString(),
  });
  expect((await setUp(anEventAction({ method: 'GET' })).test()).request.body).toBeNull();
});

test.each([answered(503), answered(301), unanswered('blocked_address')])(
  'a failure is reported and logged, and not tried again (%#)',
  async (outcome) => {
    const { log, outbound, test } = setUp(anEventAction());
    outbound.outcomes = [outcome];
    expect(await test()).toMatchObject({ success: false, status: outcome.status, error: outcome.error });
    expect(outbound.requests).toHaveLength(1);
    expect(await log.all()).toMatchObject([{ error: outcome.error }]);
  },
);

test('a disabled Action can be tested before it is enabled', async () => {
  expect((await setUp(anEventAction({ enabled: false })).test()).success).toBe(true);
});

describe('is refused without a request:', () => {
  test.each([
    ['an unknown Action', 'action_not_found', ['act_nobody', ORG_ID], {}],
    ['an Action of another organization', 'action_not_found', ['act_event', 'org_other'], {}],
    ['an Action of a suspended organization', 'organization_suspended', ['act_event', ORG_ID], { suspended: true }],
  ] as const)('%s', async (_, code, [id, orgId], changes) => {
    const { outbound, test } = setUp(anEventAction(changes));
    expect((await refusalOf(test(id, orgId))).code).toBe(code);
    expect(outbound.requests).toEqual([]);
  });

  test('the eleventh test of an organization in a minute', async () => {
    const { outbound, perMinute, test } = setUp(anEventAction());
    perMinute.decision = { isAllowed: false, retryAfterSeconds: 17 };
    expect(await refusalOf(test())).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 17 });
    expect(perMinute.calls).toMatchObject([{ key: `action-test#${ORG_ID}`, limit: 10 }]);
    expect(outbound.requests).toEqual([]);
  });
});

test('settings that are not saved are tested with the secret of the Action, and refused as a save refuses them', async () => {
  const { outbound, log, test } = setUp(anEventAction());
  const change = { url: 'https://new.example/hook', method: 'PUT' };
  const { request } = await test(undefined, undefined, change);
  expect(request).toMatchObject(change);
  expect(outbound.requests).toMatchObject([change]);
  expect(await log.all()).toMatchObject([{ action_id: anEventAction().action_id }]);
  const refusal = await refusalOf(
    test(undefined, undefined, { url: 'http://new.example', name: '', description: 'x' }),
  );
  expect(refusal.fields.map(({ field }) => field)).toEqual(['name', 'url', 'description']);
  expect(outbound.requests).toHaveLength(1);
});

test.each([
  [503, true],
  [404, false],
  [200, false],
])('the result after status %i says whether an event would be tried again: %p', async (status, retried) => {
  const { outbound, test } = setUp(anEventAction());
  outbound.outcomes = [answered(status)];
  expect((await test()).retried).toBe(retried);
});

test.each([
  ['https://shop.example/hook?token=abc#there', ' to https://shop.example/hook'],
  ['/login\r\nfake: line', ' to /loginfake: line'],
  [`https://shop.example/${'a'.repeat(300)}`, ` to https://shop.example/${'a'.repeat(179)}`],
  [undefined, ''],
])('a redirect to %j is told as%s, without its query', (location, to) => {
  const { error } = responseAnswer(
    { status: 301, body: new Uint8Array(), problem: null, location },
    { method: 'POST', withheldTexts: [] },
  );
  expect(error?.message).toBe(`The endpoint sent a redirect (status 301)${to}; redirects are not followed`);
});

test.each([
  [400, 'GET', true],
  [411, 'GET', true],
  [415, 'GET', true],
  [404, 'GET', false],
  [503, 'GET', false],
  [415, 'POST', false],
] as const)(
  'the message of status %i says, of a %s, that servers may refuse the missing body: %p',
  (status, method, isSaid) => {
    const { error } = responseAnswer({ status, body: new Uint8Array(), problem: null }, { method, withheldTexts: [] });
    expect(error?.message.includes('no body')).toBe(isSaid);
  },
);

test('a repeat costs one more of the minute of the organization, because it sends another request', async () => {
  const { test: run, perMinute, outbound } = setUp(anEventAction());
  for (let nth = 0; nth < 2; nth++) await run();
  expect([perMinute.calls.length, outbound.requests.length]).toEqual([2, 2]);
});
