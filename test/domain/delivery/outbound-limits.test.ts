import type { OutboundRequest } from '../../../src/domain/delivery/outbound.ts';
import { type TakeLease, withinInFlight, withinQuota } from '../../../src/domain/delivery/outbound.ts';
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

const IN_FLIGHT: OutboundRequest = { ...REQUEST, inFlightOf: ORG_ID };

function withPlaces(places: number) {
  const outbound = new FakeOutbound();
  const untold: string[] = [];
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
  const ports = { takeLease, leaseFailed: (orgId: string) => untold.push(orgId), now: new FrozenClock().now };
  return { outbound, ports, untold, taken: () => taken };
}

test('a request releases its place when the outbound pipeline fails', async () => {
  const { ports, taken } = withPlaces(1);
  const broken = withinInFlight(async () => {
    throw new Error('The outbound pipeline failed');
  }, ports);
  await expect(broken(IN_FLIGHT)).rejects.toThrow('The outbound pipeline failed');
  expect(taken()).toBe(0);
});

test('a request without a free place is not sent; a request without an organization is not counted', async () => {
  const { outbound, ports } = withPlaces(0);
  const makeAttempt = withinInFlight(outbound.makeAttempt, ports);
  const { failure, status } = await makeAttempt(IN_FLIGHT);
  expect([failure?.code, status, outbound.requests.length]).toEqual(['too_many_in_flight', null, 0]);
  expect(await makeAttempt(REQUEST)).toEqual(answered(200));
});

test('when the places cannot be read, the request is sent and the failure is reported', async () => {
  const { outbound, ports, untold } = withPlaces(1);
  const away = async () => {
    throw new Error('The counters are away');
  };
  expect(await withinInFlight(outbound.makeAttempt, { ...ports, takeLease: away })(IN_FLIGHT)).toEqual(answered(200));
  const stuck: TakeLease = async () => ({ release: away });
  expect(await withinInFlight(outbound.makeAttempt, { ...ports, takeLease: stuck })(IN_FLIGHT)).toEqual(answered(200));
  expect(untold).toEqual([ORG_ID, ORG_ID]);
});
