import type { OutboundRequest } from '../../../src/domain/delivery/outbound.ts';
import { withinQuota } from '../../../src/domain/delivery/within-quota.ts';
import { ORG_ID } from '../../fakes/configuration.ts';
import { answered, FakeOutbound } from '../../fakes/delivery.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { FrozenClock } from '../../fakes/sources.ts';

const REQUEST: OutboundRequest = { method: 'POST', url: 'https://crm.example/', headers: {}, body: Buffer.from('{}') };
const COUNTED: OutboundRequest = { ...REQUEST, quota: { orgId: ORG_ID, perDay: 2 } };

function setUp() {
  const clock = new FrozenClock();
  const outbound = new FakeOutbound();
  const perDay = new FakeLimit();
  const uncounted: string[] = [];
  const ports = { hitPerDay: perDay.hit, uncounted: (orgId: string) => uncounted.push(orgId), now: clock.now };
  return { clock, outbound, perDay, uncounted, ports, makeAttempt: withinQuota(outbound.makeAttempt, ports) };
}

test('counts each request against its quota and sends it', async () => {
  const { makeAttempt, outbound, perDay, clock } = setUp();
  expect(await makeAttempt(COUNTED)).toEqual(answered(200));
  expect(outbound.requests).toEqual([COUNTED]);
  expect(perDay.calls).toEqual([{ key: ORG_ID, limit: 2, now: clock.now() }]);
});

test('a request without a quota is sent and not counted', async () => {
  const { makeAttempt, outbound, perDay } = setUp();
  await makeAttempt(REQUEST);
  expect([outbound.requests.length, perDay.calls.length]).toEqual([1, 0]);
});

test('a request over its quota is not sent', async () => {
  const { makeAttempt, outbound, perDay } = setUp();
  perDay.decision = { allowed: false, retryAfterSeconds: 60 };
  const { failure, status } = await makeAttempt(COUNTED);
  expect([failure?.code, status]).toEqual(['quota_exceeded', null]);
  expect(outbound.requests).toEqual([]);
});

test('when the counter fails, the request is sent and the failure is reported', async () => {
  const { ports, outbound, uncounted } = setUp();
  const away = async () => {
    throw new Error('The counters are away');
  };
  const makeAttempt = withinQuota(outbound.makeAttempt, { ...ports, hitPerDay: away });
  expect(await makeAttempt(COUNTED)).toEqual(answered(200));
  expect(uncounted).toEqual([ORG_ID]);
});
