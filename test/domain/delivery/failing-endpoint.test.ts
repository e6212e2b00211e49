import type { FailureCode } from '../../../src/contract/delivery-record.ts';
import {
  type EndpointFailing,
  type FailurePeriod,
  signalFailingEndpoint,
  type WatchEndpointPorts,
} from '../../../src/domain/delivery/failing-endpoint.ts';
import { unixSeconds } from '../../../src/domain/sources.ts';
import { ORG_ID, SITE_ID } from '../../fakes/configuration.ts';
import { DELIVERY } from '../../fakes/delivery.ts';
import { FrozenClock } from '../../fakes/sources.ts';

const MINUTE = 60_000;

function setUp() {
  const clock = new FrozenClock();
  let period: FailurePeriod | undefined;
  let succeededAt = 0;
  const signals: EndpointFailing[] = [];
  const ports: WatchEndpointPorts = {
    failurePeriods: {
      recordFailure: async (_, now): Promise<FailurePeriod> => {
        period ??= { since: unixSeconds(now), signalled_at: null };
        return period;
      },
      hasSucceeded: async (_, since) => succeededAt >= since,
      replacePeriod: async (_, seen, next) => {
        if (seen !== period) return false;
        period = next;
        return true;
      },
    },
    signal: async (event) => {
      signals.push(event);
    },
    now: clock.now,
  };
  const fail = (failure: FailureCode = 'http_status') => signalFailingEndpoint(DELIVERY, failure, ports);
  const succeed = () => {
    succeededAt = unixSeconds(clock.now());
  };
  return { clock, signals, fail, succeed };
}

test('an endpoint is signalled once after an hour without a success, and again after a day', async () => {
  const { clock, signals, fail } = setUp();
  for (let minute = 0; minute < 60; minute += 5) {
    await fail();
    clock.advance(5 * MINUTE);
  }
  expect(signals).toEqual([]);
  await Promise.all([fail(), fail(), fail()]);
  expect(signals).toEqual([
    {
      org_id: ORG_ID,
      site_id: SITE_ID,
      action_id: 'act_event',
      failing_since: '2026-03-04T05:06:07.000Z',
      failure_code: 'http_status',
    },
  ]);
  clock.advance(23 * 60 * MINUTE);
  await fail();
  expect(signals).toHaveLength(1);
  clock.advance(60 * MINUTE);
  await fail();
  expect(signals).toHaveLength(2);
});

test('a success within the hour restarts the period and needs no write of its own', async () => {
  const { clock, signals, fail, succeed } = setUp();
  await fail();
  clock.advance(30 * MINUTE);
  succeed();
  clock.advance(40 * MINUTE);
  await fail();
  expect(signals).toEqual([]);
  clock.advance(59 * MINUTE);
  await fail();
  expect(signals).toEqual([]);
  clock.advance(2 * MINUTE);
  await fail();
  expect(signals).toHaveLength(1);
});

test('a failure in which the endpoint has no part is not recorded', async () => {
  const { clock, signals, fail } = setUp();
  await fail('quota_exceeded');
  await fail('internal_error');
  clock.advance(61 * MINUTE);
  await fail();
  expect(signals).toEqual([]);
});
