import type { OutboundRequest, Outcome } from '../../../../src/domain/context.ts';
import { responseExcerpt, resultOf } from '../../../../src/domain/delivery/delivery-log.ts';
import { type TakeLease, withinInFlight, withinQuota } from '../../../../src/domain/delivery/outbound-request.ts';
import { ORG_ID } from '../../../fakes/configuration.ts';
import { answered, FakeOutbound, unanswered } from '../../../fakes/delivery.ts';
import { failing } from '../../../fakes/failing.ts';
import { fakeInvocation } from '../../../fakes/invocation.ts';
import { FakeLimit } from '../../../fakes/limits.ts';

const REQUEST: OutboundRequest = { method: 'POST', url: 'https://crm.example/', headers: {}, body: Buffer.from('{}') };
const COUNTED: OutboundRequest = { ...REQUEST, quota: { orgId: ORG_ID, perDay: 2 } };

function setUp() {
  const outbound = new FakeOutbound();
  const perDay = new FakeLimit();
  const invocation = fakeInvocation();
  const send = (request: OutboundRequest, hit = perDay.hit) => withinQuota(outbound.send, hit)(request, invocation);
  return { outbound, perDay, invocation, send };
}

test('counts each request against its quota and sends it', async () => {
  const { send, outbound, perDay, invocation } = setUp();
  expect(await send(COUNTED)).toEqual(answered(200));
  expect(outbound.requests).toEqual([COUNTED]);
  expect(perDay.calls).toEqual([{ key: ORG_ID, limit: 2, now: invocation.now() }]);
});

test('a request without a quota is sent and not counted', async () => {
  const { send, outbound, perDay } = setUp();
  await send(REQUEST);
  expect([outbound.requests.length, perDay.calls.length]).toEqual([1, 0]);
});

test('a request over its quota is not sent', async () => {
  const { send, outbound, perDay } = setUp();
  perDay.decision = { allowed: false, retryAfterSeconds: 60 };
  const { error, status } = await send(COUNTED);
  expect([error?.code, status]).toEqual(['quota_exceeded', null]);
  expect(outbound.requests).toEqual([]);
});

const uncounted = (limit: string) => ({ kind: 'uncounted', limit, org_id: ORG_ID, cause: expect.any(Error) });

test('when the counter fails, the request is sent and the failure is reported', async () => {
  const { send, invocation } = setUp();
  expect(await send(COUNTED, away)).toEqual(answered(200));
  expect(invocation.facts).toEqual([uncounted('quota')]);
});

const away = failing('The counters are away');
const IN_FLIGHT: OutboundRequest = { ...REQUEST, inFlightOf: ORG_ID };

function withPlaces(places: number) {
  const outbound = new FakeOutbound();
  const invocation = fakeInvocation();
  let taken = 0;
  const takeLease: TakeLease = async () => {
    if (taken === places) return undefined;
    taken += 1;
    return {
      release: async () => {
        taken -= 1;
      },
    };
  };
  const send = (request: OutboundRequest, lease = takeLease, sender = outbound.send) =>
    withinInFlight(sender, lease)(request, invocation);
  return { outbound, invocation, takeLease, send, taken: () => taken };
}

test('a request releases its place when the outbound pipeline fails', async () => {
  const { send, takeLease, taken } = withPlaces(1);
  const broken = failing('The outbound pipeline failed');
  await expect(send(IN_FLIGHT, takeLease, broken)).rejects.toThrow('The outbound pipeline failed');
  expect(taken()).toBe(0);
});

test('a request without a free place is not sent; a request without an organization is not counted', async () => {
  const { outbound, send } = withPlaces(0);
  const { error, status } = await send(IN_FLIGHT);
  expect([error?.code, status, outbound.requests.length]).toEqual(['too_many_in_flight', null, 0]);
  expect(await send(REQUEST)).toEqual(answered(200));
});

test('when the places cannot be read, the request is sent and the failure is reported', async () => {
  const { invocation, send } = withPlaces(1);
  expect(await send(IN_FLIGHT, away)).toEqual(answered(200));
  expect(await send(IN_FLIGHT, async () => ({ release: away }))).toEqual(answered(200));
  expect(invocation.facts).toEqual([uncounted('in_flight'), uncounted('in_flight')]);
});

test.each([
  ['nothing', '', ''],
  ['2000 characters', 'x'.repeat(2000), 'x'.repeat(2000)],
  ['2001 characters', 'x'.repeat(2001), 'x'.repeat(2000)],
  ['2001 code points', '👩'.repeat(2001), '👩'.repeat(2000)],
])('of %s the log keeps at most 2000', (_, body, excerpt) => {
  expect(responseExcerpt(Buffer.from(body), {})).toBe(excerpt);
});

test('bytes that are not UTF-8 are replaced without an error', () => {
  expect(responseExcerpt(Uint8Array.from([0x41, 0xff, 0xfe, 0x42]), {})).toBe('A��B');
  expect(responseExcerpt(Buffer.alloc(1024 * 1024, 0xff), {})).toBe('�'.repeat(2000));
});

test('a result without a response has no excerpt, and an empty response has an empty one', () => {
  expect(resultOf(unanswered('timeout'), { headers: {} })).toEqual({
    status: null,
    response_excerpt: null,
    latency_ms: 5000,
    success: false,
    error: { code: 'timeout', message: 'timeout' },
  });
  expect(resultOf(answered(204, ''), { headers: {} }).response_excerpt).toBe('');
});

test('a signature that the endpoint echoes does not reach the log', () => {
  const digest = 'ab'.repeat(32);
  const headers = { 'X-Service-Signature': `t=1,v1=${digest}`, 'X-Service-Trigger': 'event' };
  const echo = (sent: object) => responseExcerpt(Buffer.from(JSON.stringify(sent)), headers);
  expect(echo(headers)).toBe('{"X-Service-Signature":"t=1,v1=(not shown)","X-Service-Trigger":"event"}');
  expect(echo([digest, digest])).toBe('["(not shown)","(not shown)"]');
  const usage = { 'X-Webhook-Signature': digest };
  expect(responseExcerpt(Buffer.from(digest), usage)).toBe('(not shown)');
  // A signature at the end of the excerpt is removed before the excerpt is cut.
  expect(responseExcerpt(Buffer.from('x'.repeat(1960) + digest), usage)).toBe(`${'x'.repeat(1960)}(not shown)`);
});

test.each<[string, (digest: string) => string, string]>([
  ['in capitals', (digest) => digest.toUpperCase(), '(not shown)'],
  ['in both cases', (digest) => `v1=${digest.slice(0, 9)}${digest.slice(9).toUpperCase()}.`, 'v1=(not shown).'],
  ['cut by its end', (digest) => `${'x'.repeat(90)}${digest.slice(0, 40)}`, `${'x'.repeat(90)}(not shown)`],
  ['cut by the endpoint', (digest) => `{"v1":"${digest.slice(0, 20)}…"}`, '{"v1":"(not shown)…"}'],
  ['cut where its bytes end', (digest) => `${'𝔸'.repeat(1990)}${digest}`, `${'𝔸'.repeat(1990)}(not shown`],
  ['twice, once cut', (digest) => `${digest} ${digest.slice(0, 60)}`, '(not shown) (not shown)'],
  ['in so few characters that they tell nothing', (digest) => digest.slice(0, 15), '0123456789abcde'],
])('a signature is recognized %s', (_, echoed, excerpt) => {
  const digest = '0123456789abcdef'.repeat(4);
  expect(responseExcerpt(Buffer.from(echoed(digest)), { 'X-Service-Signature': `t=1,v1=${digest}` })).toBe(excerpt);
});

test('a problem with the body is recorded next to the status, and the cause of an internal error is not', () => {
  const errorOf = (outcome: Outcome) => resultOf(outcome, { headers: {} }).error;
  const broken = { code: 'connection_closed', message: 'The response body broke off' } as const;
  expect(errorOf(answered(200, '', broken))).toEqual(broken);
  expect(errorOf(answered(503, '', broken))).toEqual({
    code: 'http_status',
    message: 'The endpoint responded with status 503. The response body broke off',
  });
  expect(resultOf({ ...unanswered('internal_error'), cause: new Error() }, { headers: {} })).not.toHaveProperty(
    'cause',
  );
});
