import type { DynamoDb } from './client.ts';
import { readKey, type StoredItem } from './stored-item.ts';

/** Every item of a partition whose sort key begins with a prefix, page by page, strongly consistent, in the order of the key. */
export async function* itemsUnder(
  client: DynamoDb,
  table: string,
  pk: string,
  prefix: string,
): AsyncGenerator<StoredItem> {
  const pages = client.queryPages({
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  });
  for await (const { Items } of pages) yield* Items;
}

/** The ends of the sort keys of such items: what their pointers point to. */
export async function namesUnder(
  client: DynamoDb,
  table: string,
  pk: string,
  prefix: string,
): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const item of itemsUnder(client, table, pk, prefix)) {
    names.push(readKey(table, item).sk.slice(prefix.length));
  }
  return names;
}
