import * as z from 'zod';
import type { Counters, Hit, World } from '../../domain/context.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import { batchedReads } from './batch-calls.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure } from './storage-errors.ts';
import { itemReader } from './stored-items.ts';

const MINUTE_MS = 60_000;

/** A clock window: how long it is, and how the keys of its counters begin. */
type Window = { readonly seconds: number; readonly prefix: string };
const HOUR: Window = { seconds: 3600, prefix: 'requests' };
const DAY: Window = { seconds: 24 * 3600, prefix: 'outbound' };

/** Reads the time of the oldest of the last hits, in milliseconds. */
const readOldestHit = itemReader(z.object({ h0: z.number() }));

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
    const fullItem = await conditionFailure(
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
    if (fullItem === undefined) return { isAllowed: true };
    const freeAt = readOldestHit(table, fullItem).h0 + MINUTE_MS;
    return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)) };
  };
}

/** Limits the requests of a site, or of its forms (`forms#<site>`), per clock hour. */
export const hitPerHour = (client: DynamoDb, table: string): Hit => hitPerWindow(client, table, HOUR);

export const rateLimits = (client: DynamoDb, table: string): Counters => ({
  hitPerMinute: hitPerMinute(client, table),
  hitPerHour: hitPerHour(client, table),
});

/** Limits the outbound requests of an organization per UTC day. */
export const hitPerDay = (client: DynamoDb, table: string): Hit => hitPerWindow(client, table, DAY);

const numberAt = (now: Date, { seconds }: Window) => Math.floor(unixSeconds(now) / seconds);
const keyOf = ({ prefix }: Window, id: string, number: number) => ({ pk: `${prefix}#${id}#${number}` });

/**
 * Limits hits with one counter per id and clock window. A container remembers a refusal until the window or the limit changes and does
 * not write again, because DynamoDB accepts 1 000 writes per second for one item.
 */
function hitPerWindow(client: DynamoDb, table: string, window: Window): Hit {
  const limitsReached = new Map<string, number>();
  let refusedWindow = -1;
  return async (id, limit, now) => {
    const current = numberAt(now, window);
    const end = (current + 1) * window.seconds;
    const refusal = { isAllowed: false, retryAfterSeconds: end - unixSeconds(now) } as const;
    if (current !== refusedWindow) {
      limitsReached.clear();
      refusedWindow = current;
    }
    if ((limitsReached.get(id) ?? 0) >= limit) return refusal;
    const fullItem = await conditionFailure(
      client.update({
        TableName: table,
        Key: keyOf(window, id, current),
        UpdateExpression: 'SET hits = if_not_exists(hits, :none) + :one, expires_at = :expires',
        ConditionExpression: 'attribute_not_exists(hits) OR hits < :limit',
        ExpressionAttributeValues: {
          ':one': 1,
          ':none': 0,
          ':limit': limit,
          // Kept for a day after its window, so that the dashboard can show it.
          ':expires': end + DAY.seconds,
        },
      }),
    );
    if (fullItem === undefined) return { isAllowed: true };
    // Meanwhile another request may have begun the next window.
    if (current === refusedWindow) limitsReached.set(id, limit);
    return refusal;
  };
}

/** Hours that the dashboard shows, this one included. */
const HOURS = 24;

/** Returns how many requests of an assistant its hourly limit counted in this clock hour, and in the last 24 with this one. */
export function requestCounts(client: DynamoDb, table: string, now: Clock): World['requestCounts'] {
  const itemOf = batchedReads(client, table);
  return async (siteId) => {
    const current = numberAt(now(), HOUR);
    const keys = Array.from({ length: HOURS }, (_, ago) => keyOf(HOUR, siteId, current - ago));
    const items = await Promise.all(keys.map(itemOf));
    const hits = items.map((item) => (item === undefined ? 0 : readHits(table, item).hits));
    return { this_hour: hits[0] ?? 0, last_24_hours: hits.reduce((sum, one) => sum + one, 0) };
  };
}
