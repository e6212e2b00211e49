import { randomUUID } from 'node:crypto';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log.ts';
import { failurePeriods } from '../../../../src/adapters/dynamodb/failure-periods.ts';
import { unixSeconds } from '../../../../src/domain/sources.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, startTables, type TestTables } from './tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const periods = () => failurePeriods(tables.client, { counters: tables.unsorted, deliveryLog: tables.sorted });

test('a period begins once with concurrent first failures, and expires after two days', async () => {
  const id = randomUUID();
  const clock = new FrozenClock();
  const begun = { since: unixSeconds(clock.now()), signalled_at: null, looked_to: null };
  expect(await atOnce(20, () => periods().recordFailure(id, clock.now()))).toEqual(Array(20).fill(begun));
  clock.advance(47 * 3_600_000);
  expect(await periods().recordFailure(id, clock.now())).toEqual(begun);
  clock.advance(48 * 3_600_000);
  const anew = { since: unixSeconds(clock.now()), signalled_at: null, looked_to: null };
  expect(await periods().recordFailure(id, clock.now())).toEqual(anew);
  expect(await periods().recordFailure(id, clock.now())).toEqual(anew);
});

test('one of 20 concurrent callers signals a period, and only the period that was read is restarted', async () => {
  const id = randomUUID();
  const clock = new FrozenClock();
  const seen = await periods().recordFailure(id, clock.now());
  const claims = await atOnce(20, () => periods().claimSignal(id, seen, clock.now()));
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  expect(await periods().restartFailurePeriod(id, seen, clock.now())).toBe(false);
  const signalled = await periods().recordFailure(id, clock.now());
  expect(signalled.signalled_at).toBe(unixSeconds(clock.now()));
  clock.advance(1000);
  expect(await periods().restartFailurePeriod(id, signalled, clock.now())).toBe(true);
  expect(await periods().recordFailure(id, clock.now())).toEqual({
    since: seen.since + 1,
    signalled_at: null,
    looked_to: null,
  });
});

/** Writes attempts of an Action to the delivery log. */
const attemptsOf = (action_id: string, clock: FrozenClock) => {
  const log = deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });
  return async (at: string, started_at: string, success: boolean) => {
    const common = { trigger: 'event', trigger_ref: 'sms.sent', payload: '{}', message_id: 'm', attempt: 1 } as const;
    const start = { ...common, action_id, at, started_at, reference: randomUUID() };
    if (!success) return log.recordUnsent(start, { code: 'quota_exceeded', message: '' });
    await log.claim(start);
    await log.complete(start, { status: 200, response_excerpt: null, latency_ms: 1, success, error: null });
  };
};

test('a success counts from the start of its attempt, not from the time of its event', async () => {
  const clock = new FrozenClock('2026-03-04T05:06:00.000Z');
  const action_id = randomUUID();
  const attempt = attemptsOf(action_id, clock);
  await attempt('2026-03-04T05:00:00Z', '2026-03-04T05:00:00.100Z', true);
  await attempt('2026-03-04T06:00:00Z', '2026-03-04T06:00:00.100Z', false);
  const since = unixSeconds(new Date('2026-03-04T05:05:00Z'));
  const seen = await periods().recordFailure(action_id, clock.now());
  expect(await periods().lookForSuccess(action_id, seen, since)).toBe('none');
  await attempt('2026-03-04T05:04:00Z', '2026-03-04T05:05:01.000Z', true);
  expect(await periods().lookForSuccess(action_id, seen, since)).toBe('found');
});

test.each([false, true])(
  'attempts are read in parts of bounded size until their end; a success is found: %p',
  async (withSuccess) => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    const action_id = randomUUID();
    const attempt = attemptsOf(action_id, clock);
    const first = await periods().recordFailure(action_id, clock.now());
    const times = Array.from({ length: 400 }, (_, index) =>
      new Date(clock.now().getTime() + index * 1000).toISOString(),
    );
    await Promise.all(times.map((at, index) => attempt(at, at, withSuccess && index === 390)));
    const seen: string[] = [];
    while (seen.length < 100 && (seen.at(-1) ?? 'unfinished') === 'unfinished') {
      const period = await periods().recordFailure(action_id, clock.now());
      seen.push(await periods().lookForSuccess(action_id, period, first.since));
    }
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(withSuccess ? 'found' : 'none');
  },
);
