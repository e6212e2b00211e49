import type { DynamoDb } from './client.ts';
import type { StoredItem } from './stored-item.ts';

/** Of reading again what DynamoDB did not get to. */
const TRIES = 4;

/**
 * Reads the items that exist under these keys, 100 at most, in no order and strongly consistent, in one call as a rule.
 * @throws when DynamoDB has not got to all of them after four calls
 */
export async function itemsTogether(
  client: DynamoDb,
  table: string,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  let left = keys;
  for (let tries = 1; left.length > 0; tries++) {
    if (tries > TRIES) throw new Error(`DynamoDB did not get to ${left.length} items`);
    if (tries > 1) await new Promise((resolve) => setTimeout(resolve, 2 ** tries * 10 * Math.random()));
    const { Items, UnprocessedKeys } = await client.batchGet({ TableName: table, Keys: left, ConsistentRead: true });
    items.push(...Items);
    left = UnprocessedKeys;
  }
  return items;
}
