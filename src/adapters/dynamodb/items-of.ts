import { backOff } from './backoff.ts';
import type { DynamoDb } from './client.ts';
import type { StoredItem } from './stored-item.ts';
import { NotProcessed } from './throttling.ts';

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
