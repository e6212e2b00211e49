import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';

type StoredItem = NonNullable<QueryCommandOutput['Items']>[number];

/** Every item of a partition whose sort key begins with a prefix, page by page, strongly consistent, in the order of the key. */
export async function* itemsUnder(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  prefix: string,
): AsyncGenerator<StoredItem> {
  let next: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        ExclusiveStartKey: next,
      }),
    );
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next !== undefined);
}

/** The ends of the sort keys of such items: what their pointers point to. */
export async function namesUnder(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  prefix: string,
): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { sk } of itemsUnder(client, table, pk, prefix)) names.push(String(sk).slice(prefix.length));
  return names;
}
