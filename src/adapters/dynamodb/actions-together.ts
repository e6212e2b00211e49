import type { Action } from '../../contract/actions.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { itemsTogether } from './items-together.ts';
import { readAction } from './stored-configuration.ts';
import type { StoredItem } from './stored-item.ts';

/** Limit of items in one BatchGetItem. */
const BATCH = 100;

type Asked = {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly found: (action: Action | undefined) => void;
  readonly failed: (error: unknown) => void;
};

/**
 * Returns a function that finds Actions, for a function that handles messages concurrently. Reads all Actions that are requested in one
 * turn of the event loop in one call, each once and strongly consistently. An Action that cannot be read fails only its own requests.
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
    const keys = [...new Map(asked.map(({ key }) => [nameOf(key), key])).values()];
    const items = new Map((await itemsTogether(client, table, keys)).map((item) => [nameOf(item), item]));
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
