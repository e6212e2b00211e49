import { BoundedMap } from '../../domain/bounded-map.ts';
import type { TakeLease } from '../../domain/delivery/outbound-request.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './storage-errors.ts';

/** Longer than the timeout of every function that makes counted requests. */
const LEASE_MS = 20_000;
/** No holder whose clock is right takes a place for longer. A lease beyond it is of a holder whose clock was ahead, and counts as expired. */
const LEASE_MAX_MS = 2 * LEASE_MS;
/** Seconds after its latest lease until DynamoDB may remove the item of an organization. All its leases have expired long before. */
const KEPT_SECONDS = 3600;
/** Other requests may take a place that was seen free. After this many tries, the organization counts as full. */
const TRIES = 6;
/** Time for which a container that saw all places taken does not write again. DynamoDB accepts 1 000 writes per second for one item. */
const SEEN_FULL_MS = 200;
const REMEMBERED_ORGANIZATIONS_MAX = 1000;

/**
 * Limits the requests in flight of an organization, or of its usage webhooks (`usage#<organization>`). One item of the counters table has
 * the attributes `s0` to `sN`: the time until which each place is taken, in milliseconds. Taking and releasing a place are one write each.
 * Never more than `places` concurrent requests get a place; sometimes fewer do, because of concurrent writes.
 */
export function inFlightLeases(
  client: DynamoDb,
  table: string,
  places: number,
  /** Chooses a number from 0 to `options - 1`. */
  choose: (options: number) => number,
): TakeLease {
  const all = Array.from({ length: places }, (_, place) => place);
  const fullUntil = new BoundedMap<string, number>(REMEMBERED_ORGANIZATIONS_MAX);

  return async (orgId, now) => {
    const fullMs = (fullUntil.get(orgId) ?? 0) - now.getTime();
    // More is left after a clock was set back.
    if (fullMs > 0 && fullMs <= SEEN_FULL_MS) return undefined;
    const Key = { pk: `in-flight#${orgId}` };
    const ends = now.getTime() + LEASE_MS;
    let free: readonly number[] = all;
    for (let tryNumber = 0; tryNumber < TRIES && free.length > 0; tryNumber += 1) {
      const place = free[choose(free.length)];
      const names = { '#place': `s${place}` };
      const takenItem = await conditionFailure(
        client.update({
          TableName: table,
          Key,
          UpdateExpression: 'SET #place = :ends, expires_at = :expires',
          ConditionExpression: 'attribute_not_exists(#place) OR #place <= :now OR #place > :latest',
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: {
            ':ends': ends,
            ':now': now.getTime(),
            ':latest': now.getTime() + LEASE_MAX_MS,
            ':expires': unixSeconds(now) + KEPT_SECONDS,
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      if (takenItem === undefined) {
        return {
          release: async () => {
            // The condition fails when the lease has expired and another request has taken the place.
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
      free = all.filter((one) => {
        const left = Number(takenItem[`s${one}`] ?? 0) - now.getTime();
        return left <= 0 || left > LEASE_MAX_MS;
      });
    }
    fullUntil.set(orgId, now.getTime() + SEEN_FULL_MS);
    return undefined;
  };
}
