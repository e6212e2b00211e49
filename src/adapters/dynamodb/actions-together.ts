import type { Action } from '../../contract/actions.ts';
import { together } from '../together.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { ITEMS_AT_ONCE, itemsOf } from './item-reads.ts';
import { readAction } from './stored-configuration.ts';

/**
 * Returns a function that finds Actions, for a function that handles messages concurrently. Reads all Actions that are requested in one
 * turn of the event loop in one call, each once and strongly consistently. An Action that cannot be read fails only its own requests.
 */
export function actionsTogether(
  client: Pick<DynamoDb, 'batchGet'>,
  table: string,
): (orgId: string, actionId: string) => Promise<Action | undefined> {
  const itemOf = together((keys: readonly ReturnType<typeof KEYS.action>[]) => itemsOf(client, table, keys), {
    nameOf: ({ pk, sk }) => JSON.stringify([pk, sk]),
    atMost: ITEMS_AT_ONCE,
  });
  return async (orgId, actionId) => {
    const item = await itemOf(KEYS.action(orgId, actionId));
    return item === undefined ? undefined : readAction(table, item).action;
  };
}
