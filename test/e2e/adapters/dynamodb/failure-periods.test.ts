import { randomUUID } from 'node:crypto';
import { failurePeriods } from '../../../../src/adapters/dynamodb/failure-periods.ts';
import { unixSeconds } from '../../../../src/domain/sources.ts';
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
