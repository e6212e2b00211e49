import { randomInt, randomUUID } from 'node:crypto';
import { inFlightLeases } from '../../../../src/adapters/dynamodb/in-flight-leases.ts';
import type { Lease } from '../../../../src/domain/delivery/outbound-request.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { atOnce, tablesOfFile } from './tables.ts';

const PLACES = 20;

const tables = await tablesOfFile();

const isLease = (lease: Lease | undefined): lease is Lease => lease !== undefined;

/** Takes places in sequence until none is free. */
async function takeAll(take: () => Promise<Lease | undefined>): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  for (let lease = await take(); lease !== undefined; lease = await take()) leases.push(lease);
  return leases;
}

const setUp = () => {
  const clock = new FrozenClock();
  const takeLease = inFlightLeases(tables.client, tables.unsorted, PLACES, (options) => randomInt(options));
  const orgId = randomUUID();
  // A container caches for a shorter time that every place is in use.
  const later = () => clock.advance(201);
  return { clock, later, take: (org = orgId) => takeLease(org, clock.now()) };
};

test('an organization has a fixed number of places, separate from other organizations', async () => {
  const { take } = setUp();
  expect(await takeAll(take)).toHaveLength(PLACES);
  expect(isLease(await take(randomUUID()))).toBe(true);
});

test('at most 20 of 80 concurrent requests get a place, and a released place is free', async () => {
  const { take, later } = setUp();
  const leases = (await atOnce(4 * PLACES, () => take())).filter(isLease);
  expect(leases.length).toBeGreaterThan(PLACES / 2);
  later();
  expect(leases.length + (await takeAll(take)).length).toBe(PLACES);
  await Promise.all(leases.map((lease) => lease.release()));
  later();
  expect(await takeAll(take)).toHaveLength(leases.length);
});

test('a place that is not released is free after 20 seconds', async () => {
  const { clock, take } = setUp();
  await takeAll(take);
  clock.advance(19_799);
  expect(await take()).toBeUndefined();
  clock.advance(201);
  expect(await takeAll(take)).toHaveLength(PLACES);
});

test('a place whose holder crashed with a clock ahead is free again, whatever the clock was', async () => {
  const { clock, take } = setUp();
  clock.advance(3_600_000);
  await takeAll(take);
  clock.advance(-3_600_000);
  expect(await takeAll(take)).toHaveLength(PLACES);
});

test('a late release does not free a place that another request has taken', async () => {
  const { clock, take } = setUp();
  const early = await takeAll(take);
  clock.advance(20_000);
  expect(await takeAll(take)).toHaveLength(PLACES);
  await Promise.all(early.map((lease) => lease.release()));
  expect(await take()).toBeUndefined();
});

test('a container that found every place in use asks again after 200 milliseconds', async () => {
  const { take, later } = setUp();
  const [first] = await takeAll(take);
  await first?.release();
  expect(await take()).toBeUndefined();
  later();
  expect(isLease(await take())).toBe(true);
});
