import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { hitPerDay, hitPerHour, hitPerMinute, requestCounts } from '../../../../src/adapters/dynamodb/rate-limits.ts';
import { atOnce, startTables, type TestTables } from './tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const START = Date.parse('2026-03-04T05:06:07.000Z');
const at = (milliseconds: number) => new Date(START + milliseconds);
const allowed = (decisions: readonly { readonly allowed: boolean }[]) => decisions.filter((one) => one.allowed).length;

describe('hits per minute', () => {
  const hit = (key: string, limit: number, milliseconds: number) =>
    hitPerMinute(tables.client, tables.unsorted)(key, limit, at(milliseconds));

  test.each([10, 20])('allow exactly %p of 100 concurrent hits', async (limit) => {
    const decisions = await atOnce(100, () => hit(`at-once-${limit}`, limit, 0));
    expect(allowed(decisions)).toBe(limit);
    expect(decisions.find((one) => !one.allowed)).toEqual({ allowed: false, retryAfterSeconds: 60 });
  });

  test('have one limit per key', async () => {
    await atOnce(10, () => hit('one', 10, 0));
    expect(await hit('one', 10, 1)).toMatchObject({ allowed: false });
    expect(await hit('two', 10, 1)).toEqual({ allowed: true });
  });

  test('allow one more hit exactly 60 000 ms after a hit', async () => {
    for (let i = 0; i < 20; i++) expect(await hit('edge', 20, i * 100)).toEqual({ allowed: true });
    expect(await hit('edge', 20, 59_999)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(await hit('edge', 20, 60_000)).toEqual({ allowed: true });
    expect(await hit('edge', 20, 60_000)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(await hit('edge', 20, 60_100)).toEqual({ allowed: true });
  });

  test('never exceed the limit within any 60 seconds', async () => {
    const times: number[] = [];
    let seed = 7;
    for (let time = 0, i = 0; i < 150; i++) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      time += seed % 5000;
      if ((await hit('any', 10, time)).allowed) times.push(time);
    }
    expect(times.length).toBeGreaterThan(20);
    times.forEach((time, i) => {
      const tenLater = times[i + 10];
      if (tenLater !== undefined) expect(tenLater - time).toBeGreaterThanOrEqual(60_000);
    });
  });

  test('do not include refused hits: a caller that repeats its request waits no longer than another', async () => {
    await atOnce(20, () => hit('impatient', 20, 0));
    for (let time = 1000; time < 60_000; time += 5000) expect((await hit('impatient', 20, time)).allowed).toBe(false);
    expect(allowed(await atOnce(30, () => hit('impatient', 20, 60_000)))).toBe(20);
  });

  test('return the time to wait in whole seconds, rounded up', async () => {
    await atOnce(20, () => hit('wait', 20, 0));
    expect(await hit('wait', 20, 18_500)).toEqual({ allowed: false, retryAfterSeconds: 42 });
    expect(await hit('wait', 20, 19_000)).toEqual({ allowed: false, retryAfterSeconds: 41 });
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

describe('hits per hour', () => {
  const HOUR = 3_600_000;

  test('allow exactly the limit of 100 concurrent hits from five containers', async () => {
    const containers = Array.from({ length: 5 }, () => hitPerHour(tables.client, tables.unsorted));
    const decisions = await atOnce(100, (i) => {
      const hit = containers[i % 5];
      if (hit === undefined) throw new Error('There are five');
      return hit('site-at-once', 42, at(i));
    });
    expect(allowed(decisions)).toBe(42);
  });

  test('restart with each clock hour, and Retry-After is the time until then', async () => {
    const hit = hitPerHour(tables.client, tables.unsorted);
    const lastSecond = new Date('2026-03-04T05:59:59.999Z');
    await hit('site-hour', 1, at(0));
    expect(await hit('site-hour', 1, at(0))).toEqual({ allowed: false, retryAfterSeconds: 53 * 60 + 53 });
    expect(await hit('site-hour', 1, lastSecond)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(await hit('site-hour', 1, new Date('2026-03-04T06:00:00.000Z'))).toEqual({ allowed: true });
  });

  test('have one limit per site', async () => {
    const hit = hitPerHour(tables.client, tables.unsorted);
    await hit('site-one', 1, at(0));
    expect((await hit('site-one', 1, at(0))).allowed).toBe(false);
    expect((await hit('site-two', 1, at(0))).allowed).toBe(true);
  });

  test('cause no more writes of a container that was refused, until the limit or the hour changes', async () => {
    let sent = 0;
    const { client } = tables;
    const update: DynamoDb['update'] = (input) => {
      sent += 1;
      return client.update(input);
    };
    const hit = hitPerHour({ ...client, update }, tables.unsorted);
    const counted = async (limit: number, milliseconds: number) => {
      const before = sent;
      const { allowed: yes } = await hit('site-memo', limit, at(milliseconds));
      return [yes, sent - before];
    };
    expect(await counted(2, 0)).toEqual([true, 1]);
    expect(await counted(2, 0)).toEqual([true, 1]);
    expect(await counted(2, 0)).toEqual([false, 1]);
    expect(await counted(2, 0)).toEqual([false, 0]);
    expect(await counted(1, 0)).toEqual([false, 0]);
    expect(await counted(3, 0)).toEqual([true, 1]);
    expect(await counted(3, 0)).toEqual([false, 1]);
    expect(await counted(3, 0)).toEqual([false, 0]);
    expect(await counted(3, HOUR)).toEqual([true, 1]);
  });
});

describe('the counts of the last day', () => {
  const HOUR = 3_600_000;
  const countsOf = (site: string, milliseconds: number) =>
    requestCounts(tables.client, tables.unsorted, () => at(milliseconds))(site);

  test('are 0 for a site without requests', async () => {
    expect(await countsOf('site-quiet', 0)).toEqual({ this_hour: 0, last_24_hours: 0 });
  });

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

  test('expire soon after they are no longer shown', async () => {
    await hitPerHour(tables.client, tables.unsorted)('site-kept', 1, at(0));
    const pk = `requests#site-kept#${Math.floor(START / HOUR)}`;
    const { Item } = await tables.client.get({ TableName: tables.unsorted, Key: { pk } });
    const hour = Math.floor(START / HOUR) * 3600;
    expect(Number(Item?.expires_at)).toBeGreaterThanOrEqual(hour + 24 * 3600);
    expect(Number(Item?.expires_at)).toBeLessThanOrEqual(hour + 26 * 3600);
  });

  test('are read in one call, and what DynamoDB did not process is read again', async () => {
    const calls: number[] = [];
    const batchGet: DynamoDb['batchGet'] = async (input) => {
      calls.push(input.Keys.length);
      const answer = await tables.client.batchGet(input);
      return calls.length === 1 ? { Items: [], UnprocessedKeys: input.Keys.slice(0, 2) } : answer;
    };
    await hitPerHour(tables.client, tables.unsorted)('site-again', 5, at(0));
    const counts = await requestCounts({ ...tables.client, batchGet }, tables.unsorted, () => at(0))('site-again');
    expect(counts).toEqual({ this_hour: 1, last_24_hours: 1 });
    expect(calls).toEqual([24, 2]);
  });
});

describe('outbound requests per day', () => {
  const DAY = 86_400_000;
  const LAST_MOMENT = new Date('2026-03-04T23:59:59.999Z');
  const MIDNIGHT = new Date('2026-03-05T00:00:00.000Z');

  test('are exactly the quota of 100 concurrent ones from five containers', async () => {
    const containers = Array.from({ length: 5 }, () => hitPerDay(tables.client, tables.unsorted));
    const decisions = await atOnce(100, (i) => {
      const hit = containers[i % 5];
      if (hit === undefined) throw new Error('There are five');
      return hit('org-at-once', 42, at(i));
    });
    expect(allowed(decisions)).toBe(42);
  });

  test('are counted again from 0 each UTC day, and per organization', async () => {
    const hit = hitPerDay(tables.client, tables.unsorted);
    expect(await hit('org-one', 1, at(0))).toEqual({ allowed: true });
    expect(await hit('org-one', 1, LAST_MOMENT)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(await hit('org-two', 1, LAST_MOMENT)).toEqual({ allowed: true });
    expect(await hit('org-one', 1, MIDNIGHT)).toEqual({ allowed: true });
  });

  test('continue from the count when the quota is raised', async () => {
    const hit = hitPerDay(tables.client, tables.unsorted);
    for (const [limit, yes] of [
      [1, true],
      [1, false],
      [2, true],
      [2, false],
    ] as const) {
      expect((await hit('org-raised', limit, at(0))).allowed).toBe(yes);
    }
  });

  test('have a counter that expires during the next day', async () => {
    await hitPerDay(tables.client, tables.unsorted)('org-expires', 1, at(0));
    const pk = `outbound#org-expires#${Math.floor(START / DAY)}`;
    const { Item } = await tables.client.get({ TableName: tables.unsorted, Key: { pk } });
    expect(Number(Item?.expires_at)).toBeGreaterThanOrEqual(MIDNIGHT.getTime() / 1000);
    expect(Number(Item?.expires_at)).toBeLessThanOrEqual((MIDNIGHT.getTime() + DAY) / 1000);
  });

  test('fail with an error when the counter cannot be written', async () => {
    await expect(hitPerDay(tables.client, 'no-such-table')('org', 1, at(0))).rejects.toThrow();
  });
});
