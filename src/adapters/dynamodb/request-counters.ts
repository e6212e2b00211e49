import type { Clock } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { itemsOf } from './items-of.ts';
import { hourKey, readHits } from './rate-limits.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The numbers of requests that the hourly limit of an assistant counted. Both include the current clock hour. */
export type RequestCounts = { readonly this_hour: number; readonly last_24_hours: number };

/** Returns how many requests of an assistant were counted in this clock hour and in the last 24. Reads the counters of the hourly limit. */
export function requestCounts(client: DynamoDb, table: string, now: Clock): (siteId: string) => Promise<RequestCounts> {
  return async (siteId) => {
    const at = now();
    const keys = Array.from({ length: HOURS }, (_, ago) => ({
      pk: hourKey(siteId, new Date(at.getTime() - ago * HOUR_MS)),
    }));
    const counts = { this_hour: 0, last_24_hours: 0 };
    for (const item of await Promise.all(itemsOf(client, table, keys))) {
      if (item === undefined) continue;
      const { hits } = readHits(table, item);
      counts.last_24_hours += hits;
      if (item.pk === hourKey(siteId, at)) counts.this_hour = hits;
    }
    return counts;
  };
}
