import type { DynamoDb } from './client.ts';
import { readKey, type StoredItem } from './stored-item.ts';

/** Returns all items of a partition whose sort key begins with a prefix, in the order of the key. Reads strongly consistently. */
export async function itemsWithPrefix(
  client: DynamoDb,
  table: string,
  pk: string,
  prefix: string,
): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  const pages = client.queryPages({
    TableName: table,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
  });
  for await (const { Items } of pages) items.push(...Items);
  return items;
}

/**
 * Returns one page of the parts of the sort keys of these items after the prefix.
 * @param from.after the last name of the page before
 */
export async function namesPage(
  client: DynamoDb,
  table: string,
  { pk, prefix }: { readonly pk: string; readonly prefix: string },
  { after, atMost }: { readonly after: string | undefined; readonly atMost: number },
): Promise<{ readonly names: readonly string[]; readonly next: string | undefined }> {
  const { Items, LastEvaluatedKey } = await client.query({
    TableName: table,
    Limit: atMost,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ExclusiveStartKey: after === undefined ? undefined : { pk, sk: prefix + after },
  });
  const names = Items.map((item) => readKey(table, item).sk.slice(prefix.length));
  return { names, next: LastEvaluatedKey === undefined ? undefined : names.at(-1) };
}

/** Returns the parts of the sort keys of these items after the prefix. */
export async function namesUnder(
  client: DynamoDb,
  table: string,
  pk: string,
  prefix: string,
): Promise<readonly string[]> {
  const items = await itemsWithPrefix(client, table, pk, prefix);
  return items.map((item) => readKey(table, item).sk.slice(prefix.length));
}
