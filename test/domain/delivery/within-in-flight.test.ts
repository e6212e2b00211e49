import type { OutboundRequest } from '../../../src/domain/delivery/outbound.ts';
import { type TakeLease, withinInFlight } from '../../../src/domain/delivery/within-in-flight.ts';
import { ORG_ID } from '../../fakes/configuration.ts';
import { answered, FakeOutbound } from '../../fakes/delivery.ts';
import { FrozenClock } from '../../fakes/sources.ts';

const REQUEST: OutboundRequest = { method: 'POST', url: 'https://crm.example/', headers: {}, body: Buffer.from('{}') };
const COUNTED: OutboundRequest = { ...REQUEST, inFlightOf: ORG_ID };

function setUp(places: number) {
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
  const { ports, taken } = setUp(1);
  const broken = withinInFlight(async () => {
    throw new Error('The outbound pipeline failed');
  }, ports);
  await expect(broken(COUNTED)).rejects.toThrow('The outbound pipeline failed');
  expect(taken()).toBe(0);
});

test('a request without a free place is not sent; a request without an organization is not counted', async () => {
  const { outbound, ports } = setUp(0);
  const makeAttempt = withinInFlight(outbound.makeAttempt, ports);
  const { failure, status } = await makeAttempt(COUNTED);
  expect([failure?.code, status, outbound.requests.length]).toEqual(['too_many_in_flight', null, 0]);
  expect(await makeAttempt(REQUEST)).toEqual(answered(200));
});

test('when the places cannot be read, the request is sent and the failure is reported', async () => {
  const { outbound, ports, untold } = setUp(1);
  const away = async () => {
    throw new Error('The counters are away');
  };
  expect(await withinInFlight(outbound.makeAttempt, { ...ports, takeLease: away })(COUNTED)).toEqual(answered(200));
  const stuck: TakeLease = async () => ({ release: away });
  expect(await withinInFlight(outbound.makeAttempt, { ...ports, takeLease: stuck })(COUNTED)).toEqual(answered(200));
  expect(untold).toEqual([ORG_ID, ORG_ID]);
});
