import type { Clock } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { hourKey, readHits } from './rate-limits.ts';

/** How many requests the hourly limit of an assistant has counted in this clock hour. It was counting anyway, so this costs no write. */
export function requestsThisHour(client: DynamoDb, table: string, now: Clock): (siteId: string) => Promise<number> {
  return async (siteId) => {
    const { Item } = await client.get({ TableName: table, Key: { pk: hourKey(siteId, now()) } });
    return Item === undefined ? 0 : readHits(table, Item).hits;
  };
}
