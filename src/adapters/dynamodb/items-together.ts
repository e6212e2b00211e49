import type { DynamoDb } from './client.ts';
import type { StoredItem } from './stored-item.ts';

/** Calls until all items must be read; each call reads the items that DynamoDB did not process in the call before. */
const CALLS = 4;

/**
 * Reads the existing items under at most 100 keys, in any order, strongly consistently, and usually in one call.
 * @throws Error when DynamoDB has not processed all of them after four calls
 */
export async function itemsTogether(
  client: DynamoDb,
  table: string,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  let left = keys;
  for (let call = 1; left.length > 0; call++) {
    if (call > CALLS) throw new Error(`DynamoDB did not process ${left.length} items`);
    if (call > 1) await new Promise((resolve) => setTimeout(resolve, 2 ** call * 10 * Math.random()));
    const { Items, UnprocessedKeys } = await client.batchGet({ TableName: table, Keys: left, ConsistentRead: true });
    items.push(...Items);
    left = UnprocessedKeys;
  }
  return items;
}
