import type { DynamoDb } from './client.ts';
import { readKey, type StoredItem } from './stored-item.ts';

/** Which items DynamoDB leaves out. They are read and billed all the same, but neither sent nor parsed. */
export type Filter = {
  readonly expression: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
};

/** Every item of a partition whose sort key begins with a prefix, page by page, strongly consistent, in the order of the key. */
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
