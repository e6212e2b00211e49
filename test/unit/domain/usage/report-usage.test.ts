import { createHmac, randomUUID } from 'node:crypto';
import type { SessionClaims } from '../../../../src/contract/sessions.ts';
import type { EndpointAnswer } from '../../../../src/domain/context.ts';
import { reportUsage, usageLogId } from '../../../../src/domain/usage/report-usage.ts';
import { anAssistant, SITE_ID } from '../../../fakes/configuration.ts';
import { answered, attemptFakes, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';
import { refusedWith } from '../../../fakes/refusals.ts';
import { fakeConfiguration, fakeTokens, someClaims } from '../../../fakes/widget.ts';
import { vectors } from '../../packages/receiver/vectors.ts';

const SECRET = 's'.repeat(32);
const USAGE = { input_tokens: 10, output_tokens: 20, total_tokens: 30, tts_chars: 5, tts_provider: 'Zoë' };
const HOOKED = someClaims({ usage_webhook: { url: 'https://hooks.example/usage', secret: SECRET } });

function setUp(claims: SessionClaims | undefined = HOOKED) {
  const fakes = attemptFakes();
  const context = {
    ...fakes.context,
    tokens: fakeTokens({ verifyTokenOfTurn: async (token: string) => (token === 'good' ? claims : 'not_a_token') }),
    configuration: fakeConfiguration({ findAssistant: async () => anAssistant({ org_id: 'org_1' }) }),
  };
  const report = (session_token = 'good', configuration = context.configuration) =>
    reportUsage({ session_token, usage: USAGE }, { ...context, configuration }, fakes.invocation);
  return { ...fakes, report };
}

test('a turn is reported with the sorted fields of the spec in compact JSON, and the sent bytes are signed', async () => {
  const { report, outbound, clock } = setUp();
  expect(await report()).toEqual({ should_continue: true, reported: true });
  const [request] = outbound.requests;
  const timestamp = Math.floor(clock.now().getTime() / 1000);
  const body = Buffer.from(request?.body ?? []);
  expect(body.toString()).toBe(
    `{"nonce":"id-1","session_id":"session-1","site_id":"${SITE_ID}","timestamp":${timestamp},` +
      '"usage":{"input_tokens":10,"output_tokens":20,"total_tokens":30,"tts_chars":5,"tts_provider":"Zo\\u00eb"},"user_id":"user-1"}',
  );
  expect(request).toMatchObject({ method: 'POST', url: 'https://hooks.example/usage' });
  expect(request?.headers).toMatchObject({
    'Content-Type': 'application/json',
    'X-Webhook-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    'X-Webhook-Timestamp': String(timestamp),
  });
});

test('a report has the fields of the shared vectors, each of the same type and form', async () => {
  const formOf = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]));
    return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
      ? 'uuid'
      : typeof value;
  };
  const { report, outbound, invocation } = setUp();
  Object.assign(invocation, { newId: randomUUID });
  await report();
  const sentReport = JSON.parse(Buffer.from(outbound.requests[0]?.body ?? []).toString());
  const [vector] = vectors.usage_webhooks.filter(({ name }) => name === 'non-ASCII user');
  expect(formOf(sentReport)).toEqual(formOf(JSON.parse(vector?.body ?? '')));
});

test.each<[string, EndpointAnswer, boolean]>([
  ['200 that says stop', answered(200, '{"should_continue": false}'), false],
  ['200 that says stop, and more', answered(200, '{"should_continue":false,"reason":"quota"}'), false],
  ['200 that says go on', answered(200, '{"should_continue": true}'), true],
  ['200 that says nothing', answered(200, '{}'), true],
  ['200 that says 0', answered(200, '{"should_continue": 0}'), true],
  ['200 that says null', answered(200, '{"should_continue": null}'), true],
  ['200 that says "false"', answered(200, '{"should_continue": "false"}'), true],
  ['200 with a list', answered(200, '[{"should_continue": false}]'), true],
  ['200 with null', answered(200, 'null'), true],
  ['200 without JSON', answered(200, 'stop'), true],
  ['200 that broke off', answered(200, '{"should_continue": false}', { code: 'timeout', message: '' }), true],
  ['201 that says stop', answered(201, '{"should_continue": false}'), true],
  ['402 that says stop', answered(402, '{"should_continue": false}'), true],
  ['302', answered(302), true],
  ['500', answered(500), true],
  ['a timeout', unanswered('timeout'), true],
  ['a blocked address', unanswered('blocked_address'), true],
  ['too many reports in flight', unanswered('too_many_in_flight'), true],
])('after %s the conversation continues: %p', async (_, outcome, goesOn) => {
  const { report, outbound, log } = setUp();
  outbound.outcomes = [outcome];
  expect(await report()).toEqual({ should_continue: goesOn, reported: true });
  expect(outbound.requests).toHaveLength(1);
  const start = { action_id: usageLogId(SITE_ID), trigger: 'usage', attempt: 1 };
  expect(await log.all()).toMatchObject([{ ...start, status: outcome.status }]);
});

test('a session without a webhook continues without a request', async () => {
  const { report, outbound } = setUp(someClaims());
  expect(await report()).toEqual({ should_continue: true, reported: false });
  expect(outbound.requests).toEqual([]);
});

test('an invalid token is refused', async () => {
  const { report, outbound } = setUp();
  expect(await refusedWith(report('forged'))).toEqual([401, 'Invalid or expired session token']);
  expect(outbound.requests).toEqual([]);
});

test('a failure of the delivery log neither prevents nor repeats the report', async () => {
  const { report, outbound, log, invocation } = setUp();
  log.failing.add('claim').add('complete');
  expect(await report()).toMatchObject({ reported: true });
  expect([outbound.requests.length, invocation.of('record_lost').length]).toEqual([1, 2]);
});

test('reports count as in flight for their organization, apart from its forms', async () => {
  const { report, outbound } = setUp();
  await report();
  expect(outbound.policies).toEqual([{ inFlightOf: 'usage#org_1' }]);
});

test('a report for an assistant that cannot be read fails, because it may be deleted', async () => {
  const { report, outbound, log } = setUp();
  const away = fakeConfiguration({ findAssistant: failing('The table is away') });
  await expect(report('good', away)).rejects.toThrow('The table is away');
  expect([outbound.requests, await log.all()]).toEqual([[], []]);
});

test.each([
  ['is deleted', undefined],
  ['is being deleted', anAssistant({ enabled: false, deleting: true })],
])('a report for an assistant that %s is refused, without a record', async (_, assistant) => {
  const { report, outbound, log } = setUp();
  const refusal = await refusedWith(report('good', fakeConfiguration({ findAssistant: async () => assistant })));
  expect(refusal).toEqual([401, 'Widget site not found']);
  expect([outbound.requests, log.items()]).toEqual([[], []]);
});

test.each([[{ enabled: false }], [{ suspended: true }]])('a turn that ended after %p is reported', async (state) => {
  const { report } = setUp();
  const configuration = fakeConfiguration({ findAssistant: async () => anAssistant(state) });
  expect(await report('good', configuration)).toEqual({ should_continue: true, reported: true });
});
