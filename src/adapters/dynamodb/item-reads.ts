import type { DynamoDb } from './client.ts';
import { readKey, type StoredItem } from './stored-item.ts';
import { backOff, NotProcessed } from './throttling.ts';

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

/** Limit of keys in one BatchGetItem. */
export const ITEMS_AT_ONCE = 100;

/** Calls until all items must be read; each call reads the items that DynamoDB did not process in the call before. */
const CALLS = 4;

type Key = Readonly<Record<string, unknown>>;

/**
 * Reads the items under at most 100 different keys, strongly consistently, and usually in one call. Each key has its own result: it ends
 * with the call that read the key, and it fails only when a call fails that should have read it, or when four calls have not read it.
 * @returns for each key the promise of its item, undefined when there is none
 */
export function itemsOf(
  client: Pick<DynamoDb, 'batchGet'>,
  table: string,
  keys: readonly Key[],
): readonly Promise<StoredItem | undefined>[] {
  const asked = keys.map((key) => ({ key, name: nameOf(key), ...Promise.withResolvers<StoredItem | undefined>() }));

  const read = async () => {
    let left = asked;
    try {
      for (let call = 1; left.length > 0; call++) {
        if (call > CALLS) throw new NotProcessed(`DynamoDB did not process ${left.length} items`);
        await backOff(call - 1);
        const { Items, UnprocessedKeys } = await client.batchGet({
          TableName: table,
          Keys: left.map(({ key }) => key),
        });
        const items = new Map(Items.map((item) => [nameOf(item), item]));
        const unread = new Set(UnprocessedKeys.map(nameOf));
        for (const { name, resolve } of left) if (!unread.has(name)) resolve(items.get(name));
        left = left.filter(({ name }) => unread.has(name));
      }
    } catch (cause) {
      for (const { reject } of left) reject(cause);
    }
  };
  void read();
  return asked.map(({ promise }) => promise);
}

const nameOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);
