import { randomInt } from 'node:crypto';
import type { TakeLease } from '../../domain/delivery/within-in-flight.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './conditions.ts';

/** Longer than any function runs that makes a request on somebody's behalf. */
const LEASE_MS = 20_000;
/** Others may take the place that was just seen free; after so many the organization is as good as full. */
const TRIES = 6;
/** A container that saw every place taken asks again after this: one item takes a thousand writes a second. */
const FULL_MS = 200;
/** Organizations that a container remembers as full. */
const REMEMBERED_MAX = 1000;

/**
 * An organization's requests in flight, in one item of the counters table: `s0` to `sN` hold until when a place is taken, in
 * milliseconds. Taking and giving back are one write each. Of many at once, never more than `places` get one, and sometimes fewer.
 */
export function inFlightLeases(client: DynamoDb, table: string, places: number): TakeLease {
  const all = Array.from({ length: places }, (_, place) => place);
  const oneOf = (free: readonly number[]) => free[randomInt(free.length)];

  const fullUntil = new Map<string, number>();
  const full = (orgId: string, now: Date) => {
    if (fullUntil.size >= REMEMBERED_MAX) fullUntil.clear();
    fullUntil.set(orgId, now.getTime() + FULL_MS);
    return undefined;
  };

  return async (orgId, now) => {
    if ((fullUntil.get(orgId) ?? 0) > now.getTime()) return undefined;
    const Key = { pk: `in-flight#${orgId}` };
    const ends = now.getTime() + LEASE_MS;
    let free: readonly number[] = all;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const place = oneOf(free);
      const names = { '#place': `s${place}` };
      const taken = await conditionFailure(
        client.update({
          TableName: table,
          Key,
          UpdateExpression: 'SET #place = :ends, expires_at = :expires',
          ConditionExpression: 'attribute_not_exists(#place) OR #place <= :now',
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: { ':ends': ends, ':now': now.getTime(), ':expires': unixSeconds(now) + 3600 },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      if (taken === undefined) {
        return {
          release: async () => {
            // A place that ran out may be another's by now.
            await whenConditionHolds(
              client.update({
                TableName: table,
                Key,
                UpdateExpression: 'SET #place = :free',
                ConditionExpression: '#place = :ends',
                ExpressionAttributeNames: names,
                ExpressionAttributeValues: { ':free': 0, ':ends': ends },
              }),
            );
          },
        };
      }
      free = all.filter((one) => Number(taken[`s${one}`] ?? 0) <= now.getTime());
      if (free.length === 0) return full(orgId, now);
    }
    return full(orgId, now);
  };
}
