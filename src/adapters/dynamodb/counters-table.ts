import * as z from 'zod';
import type { Counters, Hit, World } from '../../domain/context.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import { batchedReads } from './batch-calls.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure } from './storage-errors.ts';
import { itemReader } from './stored-items.ts';

const MINUTE_MS = 60_000;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Reads the time of the oldest of the last hits, in milliseconds. */
const readOldestHit = itemReader(z.object({ h0: z.number() }));

/** Reads the hits in a clock window. */
const readHits = itemReader(z.object({ hits: z.number() }));

/**
 * Limits hits per minute with an exact sliding log, in one conditional write. The item has the times of the last `limit` hits as h0
 * (oldest) to hN (newest). A hit is allowed when h0 is at least a minute old or missing; it moves all times by one place. The times are
 * those at which the requests began, so a late write puts an earlier time behind a later one. That lets no hit too many pass: each hit is
 * a minute after the one `limit` places before it, so the hits are `limit` sequences of which any minute has at most one hit each.
 */
export function hitPerMinute(client: DynamoDb, table: string): Hit {
  return async (key, limit, now) => {
    const newest = limit - 1;
    const shifts = Array.from({ length: newest }, (_, i) => `h${i} = if_not_exists(h${i + 1}, :none)`);
    const blocking = await conditionFailure(
      client.update({
        TableName: table,
        Key: { pk: key },
        UpdateExpression: `SET ${[...shifts, `h${newest} = :now`, 'expires_at = :expires'].join(', ')}`,
        ConditionExpression: 'attribute_not_exists(h0) OR h0 <= :minute_ago',
        ExpressionAttributeValues: {
          ':now': now.getTime(),
          ':minute_ago': now.getTime() - MINUTE_MS,
          ':none': 0,
          // No hit counts for longer than a minute.
          ':expires': unixSeconds(now) + 120,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    if (blocking === undefined) return { allowed: true };
    const freeAt = readOldestHit(table, blocking).h0 + MINUTE_MS;
    return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)) };
  };
}

/** Returns the key of a site's counter for the clock hour of `now`; that of its form submissions has the id `forms#<site>`. */
function hourKey(siteId: string, now: Date): string {
  return `requests#${siteId}#${windowOf(now, HOUR_SECONDS)}`;
}

/** Limits the requests of a site, or of its forms, per clock hour. */
export function hitPerHour(client: DynamoDb, table: string): Hit {
  return hitPerWindow(client, table, HOUR_SECONDS, hourKey);
}

export const rateLimits = (client: DynamoDb, table: string): Counters => ({
  hitPerMinute: hitPerMinute(client, table),
  hitPerHour: hitPerHour(client, table),
});

/** Limits the outbound requests of an organization per UTC day. */
export function hitPerDay(client: DynamoDb, table: string): Hit {
  const keyOf = (orgId: string, now: Date) => `outbound#${orgId}#${windowOf(now, DAY_SECONDS)}`;
  return hitPerWindow(client, table, DAY_SECONDS, keyOf);
}

const windowOf = (now: Date, seconds: number) => Math.floor(unixSeconds(now) / seconds);

/**
 * Limits hits with one counter per id and clock window. A container remembers a refusal until the window or the limit changes and does
 * not write again, because DynamoDB accepts 1 000 writes per second for one item.
 */
function hitPerWindow(client: DynamoDb, table: string, seconds: number, keyOf: (id: string, now: Date) => string): Hit {
  const refused = new Map<string, number>();
  let refusedWindow = -1;
  return async (id, limit, now) => {
    const current = windowOf(now, seconds);
    const refusal = { allowed: false, retryAfterSeconds: (current + 1) * seconds - unixSeconds(now) } as const;
    if (current !== refusedWindow) {
      refused.clear();
      refusedWindow = current;
    }
    if ((refused.get(id) ?? 0) >= limit) return refusal;
    const blocking = await conditionFailure(
      client.update({
        TableName: table,
        Key: { pk: keyOf(id, now) },
        UpdateExpression: 'SET hits = if_not_exists(hits, :none) + :one, expires_at = :expires',
        ConditionExpression: 'attribute_not_exists(hits) OR hits < :limit',
        ExpressionAttributeValues: {
          ':one': 1,
          ':none': 0,
          ':limit': limit,
          // Kept for a day after its window, so that the dashboard can show it.
          ':expires': (current + 1) * seconds + DAY_SECONDS,
        },
      }),
    );
    if (blocking === undefined) return { allowed: true };
    // Meanwhile another request may have begun the next window.
    if (current === refusedWindow) refused.set(id, limit);
    return refusal;
  };
}

/** Hours that the dashboard shows, this one included. */
const HOURS = 24;

/** Returns how many requests of an assistant its hourly limit counted in this clock hour, and in the last 24 with this one. */
export function requestCounts(client: DynamoDb, table: string, now: Clock): World['requestCounts'] {
  const itemOf = batchedReads(client, table);
  return async (siteId) => {
    const at = now();
    const keys = Array.from({ length: HOURS }, (_, ago) => ({
      pk: hourKey(siteId, new Date(at.getTime() - ago * HOUR_SECONDS * 1000)),
    }));
    const counts = { this_hour: 0, last_24_hours: 0 };
    for (const item of await Promise.all(keys.map(itemOf))) {
      if (item === undefined) continue;
      const { hits } = readHits(table, item);
      counts.last_24_hours += hits;
      if (item.pk === hourKey(siteId, at)) counts.this_hour = hits;
    }
    return counts;
  };
}
