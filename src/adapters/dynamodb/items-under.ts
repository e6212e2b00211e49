import type { DynamoDb } from './client.ts';
import { readKey, type StoredItem } from './stored-item.ts';

/** Filter of a query. DynamoDB reads and bills the items that it leaves out, but does not send them. */
export type Filter = {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
};

/** Yields all items of a partition whose sort key begins with a prefix, in the order of the key. Reads strongly consistently. */
export async function* itemsUnder(
  client: DynamoDb,
  table: string,
  pk: string,
  prefix: string,
  filter?: Filter,
): AsyncGenerator<StoredItem> {
  const pages = client.queryPages({
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix, ...filter?.values },
    ...(filter === undefined
      ? {}
      : { FilterExpression: filter.expression, ExpressionAttributeNames: { ...filter.names } }),
  });
  for await (const { Items } of pages) yield* Items;
}

/** Returns the parts of the sort keys of these items after the prefix. */
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
