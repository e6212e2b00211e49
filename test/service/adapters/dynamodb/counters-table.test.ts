import { GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  hitPerDay,
  hitPerHour,
  hitPerMinute,
  requestCounts,
} from '../../../../src/adapters/dynamodb/counters-table.ts';
import { atOnce, recorded, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();

const START = Date.parse('2026-03-04T05:06:07.000Z');
const at = (milliseconds: number) => new Date(START + milliseconds);
const allowed = (decisions: readonly { readonly isAllowed: boolean }[]) =>
  decisions.filter((one) => one.isAllowed).length;

describe('hits per minute', () => {
  const hit = (key: string, limit: number, milliseconds: number) =>
    hitPerMinute(tables.client, tables.unsorted)(key, limit, at(milliseconds));

  test.each([10, 20])('allow exactly %p of 100 concurrent hits', async (limit) => {
    const decisions = await atOnce(100, () => hit(`at-once-${limit}`, limit, 0));
    expect(allowed(decisions)).toBe(limit);
    expect(decisions.find((one) => !one.isAllowed)).toEqual({ isAllowed: false, retryAfterSeconds: 60 });
  });

  test('allow one more hit exactly 60 000 ms after a hit', async () => {
    for (let i = 0; i < 20; i++) expect(await hit('edge', 20, i * 100)).toEqual({ isAllowed: true });
    expect(await hit('edge', 20, 59_999)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(await hit('edge', 20, 60_000)).toEqual({ isAllowed: true });
    expect(await hit('edge', 20, 60_000)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(await hit('edge', 20, 60_100)).toEqual({ isAllowed: true });
  });

  test('do not include refused hits: a caller that repeats its request waits no longer than another', async () => {
    await atOnce(20, () => hit('impatient', 20, 0));
    for (let time = 1000; time < 60_000; time += 5000) expect((await hit('impatient', 20, time)).isAllowed).toBe(false);
    expect(allowed(await atOnce(30, () => hit('impatient', 20, 60_000)))).toBe(20);
  });

  test('return the time to wait in whole seconds, rounded up', async () => {
    await atOnce(20, () => hit('wait', 20, 0));
    expect(await hit('wait', 20, 18_500)).toEqual({ isAllowed: false, retryAfterSeconds: 42 });
    expect(await hit('wait', 20, 19_000)).toEqual({ isAllowed: false, retryAfterSeconds: 41 });
  });

  test('expire when they can no longer refuse a hit', async () => {
    await hit('expires', 20, 0);
    const { Item } = await tables.documents.send(
      new GetCommand({ TableName: tables.unsorted, Key: { pk: 'expires' } }),
    );
    expect(Number(Item?.expires_at)).toBeGreaterThanOrEqual(START / 1000 + 60);
    expect(Number(Item?.expires_at)).toBeLessThanOrEqual(START / 1000 + 3600);
  });
});

const HOUR = 3_600_000;
const DAY = 86_400_000;

/** The counters of a clock window: the requests of a site per hour, and those of an organization per UTC day. */
describe.each([
  ['hour', hitPerHour, HOUR, 'requests', '2026-03-04T06:00:00.000Z'],
  ['day', hitPerDay, DAY, 'outbound', '2026-03-05T00:00:00.000Z'],
] as const)('hits per %s', (window, limiter, length, prefix, boundary) => {
  const next = new Date(boundary);
  const lastMoment = new Date(next.getTime() - 1);
  const id = (name: string) => `${window}-${name}`;

  test('are exactly the limit of 100 concurrent ones from five containers', async () => {
    const containers = Array.from({ length: 5 }, () => limiter(tables.client, tables.unsorted));
    const decisions = await Promise.all(
      containers.flatMap((hit) => Array.from({ length: 20 }, (_, i) => hit(id('at-once'), 42, at(i)))),
    );
    expect(allowed(decisions)).toBe(42);
  });

  test('are counted from 0 in each clock window and for each id, and Retry-After is the time until then', async () => {
    const hit = limiter(tables.client, tables.unsorted);
    expect(await hit(id('one'), 1, at(0))).toEqual({ isAllowed: true });
    const retryAfterSeconds = Math.ceil((next.getTime() - START) / 1000);
    expect(await hit(id('one'), 1, at(0))).toEqual({ isAllowed: false, retryAfterSeconds });
    expect(await hit(id('one'), 1, lastMoment)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(await hit(id('two'), 1, lastMoment)).toEqual({ isAllowed: true });
    expect(await hit(id('one'), 1, next)).toEqual({ isAllowed: true });
  });

  test('cause no more writes of a container that was refused, until the limit or the window changes', async () => {
    const { client, calls } = recorded(tables.client);
    const hit = limiter(client, tables.unsorted);
    for (const [limit, milliseconds, yes, writes] of [
      [2, 0, true, 1],
      [2, 0, true, 1],
      [2, 0, false, 1],
      [2, 0, false, 0],
      [1, 0, false, 0],
      [3, 0, true, 1],
      [3, 0, false, 1],
      [3, 0, false, 0],
      [3, length, true, 1],
    ] as const) {
      const decision = await hit(id('memo'), limit, at(milliseconds));
      expect([decision.isAllowed, calls.splice(0)]).toEqual([yes, Array(writes).fill('update')]);
    }
  });

  test('are refused in their own window only, also when the answer comes in the next one', async () => {
    await limiter(tables.client, tables.unsorted)(id('late'), 1, lastMoment);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const waits = [answered];
    const hit = limiter(
      {
        ...tables.client,
        update: async (input) => {
          await waits.pop();
          return tables.client.update(input);
        },
      },
      tables.unsorted,
    );
    const late = hit(id('late'), 1, lastMoment);
    expect(await hit(id('early'), 1, next)).toEqual({ isAllowed: true });
    answer();
    expect(await late).toMatchObject({ isAllowed: false });
    expect(await hit(id('late'), 1, next)).toEqual({ isAllowed: true });
  });

  test('have a counter that is kept for a day after its window', async () => {
    await limiter(tables.client, tables.unsorted)(id('kept'), 1, at(0));
    const pk = `${prefix}#${id('kept')}#${Math.floor(START / length)}`;
    const { Item } = await tables.client.get({ TableName: tables.unsorted, Key: { pk } });
    expect(Item?.expires_at).toBe((next.getTime() + DAY) / 1000);
  });

  test('fail with an error when the counter cannot be written', async () => {
    await expect(limiter(tables.client, 'no-such-table')('id', 1, at(0))).rejects.toThrow();
  });
});

describe('the counts of the last day', () => {
  const countsOf = (site: string, milliseconds: number) =>
    requestCounts(tables.client, tables.unsorted, () => at(milliseconds))(site);

  test('add up 24 clock hours with the current one, without refused requests', async () => {
    const hit = hitPerHour(tables.client, tables.unsorted);
    for (const [hours, hits] of [
      [0, 2],
      [1, 3],
      [23, 1],
      [24, 4],
    ] as const) {
      for (let i = 0; i < hits; i++) await hit('site-day', 3, at(hours * HOUR));
    }
    expect(await countsOf('site-day', HOUR)).toEqual({ this_hour: 3, last_24_hours: 5 });
    expect(await countsOf('site-day', 23 * HOUR)).toEqual({ this_hour: 1, last_24_hours: 6 });
    expect(await countsOf('site-day', 24 * HOUR)).toEqual({ this_hour: 3, last_24_hours: 7 });
    expect(await countsOf('site-other', HOUR)).toEqual({ this_hour: 0, last_24_hours: 0 });
  });
});
