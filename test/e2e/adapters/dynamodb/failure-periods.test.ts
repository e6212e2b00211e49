import { randomUUID } from 'node:crypto';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log-table.ts';
import { failurePeriods } from '../../../../src/adapters/dynamodb/failure-periods.ts';
import { signalFailingEndpoint } from '../../../../src/domain/delivery/failing-endpoint.ts';
import { unixSeconds } from '../../../../src/domain/sources.ts';
import { DELIVERY } from '../../../fakes/delivery.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();

const periods = () => failurePeriods(tables.client, { counters: tables.unsorted, deliveryLog: tables.sorted });

test('a period begins once with concurrent first failures, and expires after two days', async () => {
  const id = randomUUID();
  const clock = new FrozenClock();
  const begun = { since: unixSeconds(clock.now()), signalled_at: null };
  expect(await atOnce(20, () => periods().recordFailure(id, clock.now()))).toEqual(Array(20).fill(begun));
  clock.advance(47 * 3_600_000);
  expect(await periods().recordFailure(id, clock.now())).toEqual(begun);
  clock.advance(48 * 3_600_000);
  const anew = { since: unixSeconds(clock.now()), signalled_at: null };
  expect(await periods().recordFailure(id, clock.now())).toEqual(anew);
  expect(await periods().recordFailure(id, clock.now())).toEqual(anew);
});

test('one of 20 concurrent callers replaces the period that it read', async () => {
  const id = randomUUID();
  const seen = await periods().recordFailure(id, new Date());
  const signalled = { ...seen, signalled_at: seen.since + 1 };
  const claims = await atOnce(20, () => periods().replacePeriod(id, seen, signalled));
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  expect(await periods().recordFailure(id, new Date())).toEqual(signalled);
  const anew = { since: seen.since + 2, signalled_at: null };
  expect(await periods().replacePeriod(id, seen, anew)).toBe(false);
  expect(await periods().replacePeriod(id, signalled, anew)).toBe(true);
  expect(await periods().recordFailure(id, new Date())).toEqual(anew);
});

/** Makes an attempt of one Action each time, and watches its endpoint. Returns the signals. */
function endpoint() {
  const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
  const action_id = randomUUID();
  const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });
  const signals: string[] = [];
  const attempt = async (success: boolean) => {
    const at = clock.now().toISOString();
    const common = { trigger: 'event', trigger_ref: 'sms.sent', payload: '{}', message_id: 'm', attempt: 3 } as const;
    const start = { ...common, action_id, at, started_at: at, reference: randomUUID() };
    await log.claim(start);
    const error = success ? null : ({ code: 'http_status', message: '' } as const);
    const result = { status: success ? 200 : 503, response_excerpt: null, latency_ms: 1, success, error };
    await log.complete(start, result);
    const signal = async ({ failing_since }: { readonly failing_since: string }) => void signals.push(failing_since);
    if (error !== null) {
      await signalFailingEndpoint({ ...DELIVERY, action_id }, error.code, {
        failurePeriods: periods(),
        signal,
        now: clock.now,
      });
    }
    clock.advance(1000);
  };
  return { clock, attempt, signals };
}

test.each([10, 300])('59 minutes of successes, one in %p s, and then 200 failures signal nothing', async (seconds) => {
  const { clock, attempt, signals } = endpoint();
  await attempt(false);
  for (let at = 0; at < 59 * 60; at += seconds) {
    await attempt(true);
    clock.advance((seconds - 1) * 1000);
  }
  for (let failure = 0; failure < 200; failure++) await attempt(false);
  expect(signals).toEqual([]);
});

test('an hour of failures signals once', async () => {
  const { clock, attempt, signals } = endpoint();
  for (let failure = 0; failure < 150; failure++) {
    await attempt(false);
    clock.advance(29_000);
  }
  expect(signals).toEqual(['2026-03-04T05:00:00.000Z']);
});
