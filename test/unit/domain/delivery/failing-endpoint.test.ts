import { randomUUID } from 'node:crypto';
import type { DynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { failurePeriods as storedPeriods } from '../../../../src/adapters/dynamodb/failure-periods.ts';
import type { AttemptResult, FailureCode } from '../../../../src/contract/delivery-record.ts';
import { signalFailingEndpoint } from '../../../../src/domain/delivery/failing-endpoint.ts';
import type { EndpointFailing } from '../../../../src/domain/facts.ts';
import { ORG_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { anAttempt, attemptFakes, DELIVERY } from '../../../fakes/delivery.ts';

const MINUTE = 60_000;

/** An endpoint to which attempts are made, and the signals about it. */
function setUp() {
  const { clock, log, invocation } = attemptFakes();
  /** How many updates are still processed. */
  const stored = { updates: Infinity };
  const update: DynamoDb['update'] = async (input) => {
    if (stored.updates-- <= 0) throw new Error('The table is away');
    return log.client.update(input);
  };
  const failurePeriods = storedPeriods({ ...log.client, update }, { counters: 'counters', deliveryLog: 'log' });
  const signals: EndpointFailing[] = [];
  const publishFailing = async (event: EndpointFailing) => void signals.push(event);
  const record = async (error: AttemptResult['error']) => {
    const at = clock.now().toISOString();
    const start = anAttempt({ at, started_at: at, reference: randomUUID() });
    await log.claim(start);
    await log.complete(start, { status: null, response_excerpt: null, latency_ms: 1, success: error === null, error });
  };
  const fail = async (code: FailureCode = 'http_status') => {
    await record({ code, message: '' });
    await signalFailingEndpoint(DELIVERY, code, { failurePeriods, publishFailing }, invocation);
  };
  return { clock, signals, invocation, fail, stored, succeed: () => record(null) };
}

test('an endpoint is signalled once after an hour without a success, and again after a day', async () => {
  const { clock, signals, invocation, fail } = setUp();
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
  expect(invocation.facts).toEqual([{ kind: 'endpoint_failing', ...signals[0] }]);
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
  await succeed();
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

test('a period ends when nothing has failed for two days, also with several failures then', async () => {
  const { clock, signals, fail } = setUp();
  await fail();
  clock.advance(48 * 60 * MINUTE);
  await Promise.all([fail(), fail(), fail()]);
  await fail();
  expect(signals).toEqual([]);
});

test('a period that has ended does not go on when the next one could not be stored', async () => {
  const { clock, signals, fail, stored } = setUp();
  await fail();
  clock.advance(48 * 60 * MINUTE);
  stored.updates = 1;
  await expect(fail()).rejects.toThrow('The table is away');
  stored.updates = Infinity;
  await fail();
  expect(signals).toEqual([]);
});

test('a failure in which the endpoint has no part is not recorded', async () => {
  const { clock, signals, fail } = setUp();
  await fail('quota_exceeded');
  await fail('internal_error');
  clock.advance(61 * MINUTE);
  await fail();
  expect(signals).toEqual([]);
});

test.each([10, 300])('59 minutes of successes, one in %p s, and then 200 failures signal nothing', async (seconds) => {
  const { clock, signals, fail, succeed } = setUp();
  await fail();
  for (let at = 0; at < 59 * 60; at += seconds) {
    await succeed();
    clock.advance(seconds * 1000);
  }
  for (let failure = 0; failure < 200; failure++) {
    await fail();
    clock.advance(1000);
  }
  expect(signals).toEqual([]);
});
