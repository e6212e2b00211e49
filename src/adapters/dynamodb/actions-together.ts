import type { Action } from '../../contract/actions.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { readAction } from './stored-configuration.ts';
import { readKey, type StoredItem } from './stored-item.ts';

/** What one BatchGetItem takes. */
const BATCH = 100;
/** Of reading again what DynamoDB did not get to. */
const TRIES = 4;

type Asked = {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly found: (action: Action | undefined) => void;
  readonly failed: (error: unknown) => void;
};

/**
 * Finds Actions for a function that handles messages side by side: those that are asked for in one turn of the event loop are
 * read in one call, each once, strongly consistent like any read of the configuration. One that cannot be read is no reason to hand
 * back the messages of the others.
 */
export function actionsTogether(
  client: DynamoDb,
  table: string,
): (orgId: string, actionId: string) => Promise<Action | undefined> {
  let waiting: Asked[] = [];

  const readAll = async () => {
    const asked = waiting;
    waiting = [];
    for (let start = 0; start < asked.length; start += BATCH) {
      const batch = asked.slice(start, start + BATCH);
      await read(batch).catch((error: unknown) => {
        for (const { failed } of batch) failed(error);
      });
    }
  };

  const read = async (asked: readonly Asked[]) => {
    let left = [...new Map(asked.map(({ key }) => [nameOf(key), key])).values()];
    const items = new Map<string, StoredItem>();
    for (let tries = 1; left.length > 0; tries++) {
      if (tries > TRIES) throw new Error(`DynamoDB did not get to ${left.length} Actions`);
      if (tries > 1) await new Promise((resolve) => setTimeout(resolve, 2 ** tries * 10 * Math.random()));
      const { Items, UnprocessedKeys } = await client.batchGet({ TableName: table, Keys: left, ConsistentRead: true });
      for (const item of Items) items.set(nameOf(item), item);
      left = UnprocessedKeys.map((key) => readKey(table, key));
    }
    for (const { key, found, failed } of asked) {
      const item = items.get(nameOf(key));
      try {
        found(item === undefined ? undefined : readAction(table, item).action);
      } catch (error) {
        failed(error);
      }
    }
  };

  return (orgId, actionId) =>
    new Promise((found, failed) => {
      if (waiting.length === 0) setImmediate(readAll);
      waiting.push({ key: KEYS.action(orgId, actionId), found, failed });
    });
}

const nameOf = ({ pk, sk }: StoredItem) => JSON.stringify([pk, sk]);
