import type { HitPerHour, HitPerMinute } from '../../domain/auth/rate-limits.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure } from './conditions.ts';

const MINUTE_MS = 60_000;
const HOUR_SECONDS = 3600;

/**
 * An exact sliding log in one conditional write: the item holds the times of the last `limit` hits as h0 (oldest) to hN
 * (newest). A hit is allowed once the oldest is a minute old, and shifts them all; an item of a quiet key has no oldest.
 */
export function hitPerMinute(client: DynamoDb, table: string): HitPerMinute {
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
          ':expires': unixSeconds(now) + 120,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    if (blocking === undefined) return { allowed: true };
    const freeAt = Number(blocking.h0) + MINUTE_MS;
    return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)) };
  };
}

/** Key of the counter of a site in the clock hour of `now`. */
export function hourKey(siteId: string, now: Date): string {
  return `requests#${siteId}#${Math.floor(unixSeconds(now) / HOUR_SECONDS)}`;
}

/**
 * A counter per site and clock hour. One item takes a thousand writes a second, so that a container which was refused remembers
 * it until the hour or the limit changes, and stops writing.
 */
export function hitPerHour(client: DynamoDb, table: string): HitPerHour {
  const refused = new Map<string, number>();
  let refusedHour = -1;
  return async (siteId, limit, now) => {
    const seconds = unixSeconds(now);
    const hour = Math.floor(seconds / HOUR_SECONDS);
    const refusal = { allowed: false, retryAfterSeconds: (hour + 1) * HOUR_SECONDS - seconds } as const;
    if (hour !== refusedHour) {
      refused.clear();
      refusedHour = hour;
    }
    if ((refused.get(siteId) ?? 0) >= limit) return refusal;
    const blocking = await conditionFailure(
      client.update({
        TableName: table,
        Key: { pk: hourKey(siteId, now) },
        UpdateExpression: 'SET hits = if_not_exists(hits, :none) + :one, expires_at = :expires',
        ConditionExpression: 'attribute_not_exists(hits) OR hits < :limit',
        ExpressionAttributeValues: {
          ':one': 1,
          ':none': 0,
          ':limit': limit,
          ':expires': (hour + 2) * HOUR_SECONDS,
        },
      }),
    );
    if (blocking === undefined) return { allowed: true };
    refused.set(siteId, limit);
    return refusal;
  };
}
