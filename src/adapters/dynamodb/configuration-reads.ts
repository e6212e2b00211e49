import type { Action, AiAction, FormAction, Trigger } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { ActionList, UnreadableAction } from '../../domain/organizations/store.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { itemsOf } from './items-of.ts';
import { itemsWithPrefix } from './items-with-prefix.ts';
import { readAction, readAssistant, readSlug, readSubscription } from './stored-configuration.ts';
import { isUnreadable, readKey, type StoredItem } from './stored-item.ts';

/**
 * Creates the reads of the configuration that requests need. All are strongly consistent, so that a change in the dashboard takes effect
 * with the next request. An item that cannot be read is an UnreadableItem or a NewerItem error; in a list of Actions it affects only
 * that Action.
 */
export function configurationReads(client: DynamoDb, table: string) {
  const get = async <Value>(key: Record<string, string>, read: (table: string, item: StoredItem) => Value) => {
    const { Item } = await client.get({ TableName: table, Key: key, ConsistentRead: true });
    return Item === undefined ? undefined : read(table, Item);
  };

  const findAction = async (orgId: string, actionId: string): Promise<Action | undefined> =>
    (await get(KEYS.action(orgId, actionId), readAction))?.action;

  const findAssistant = async (siteId: string): Promise<Assistant | undefined> =>
    (await get(KEYS.assistant(siteId), readAssistant))?.assistant;

  const bySlug = async (siteId: string, trigger: Trigger, slug: string): Promise<Action | undefined> => {
    const pointer = await get(KEYS.slug(siteId, trigger, slug), readSlug);
    return pointer === undefined ? undefined : findAction(pointer.org_id, pointer.action_id);
  };

  const actionsIn = (items: readonly StoredItem[]): ActionList => {
    const [actions, unreadable] = readEach(
      items,
      (item) => readAction(table, item).action,
      (item) => ({ action_id: actionIdIn(table, item), site_id: siteIn(table, item) }),
    );
    return { actions, unreadable };
  };

  return {
    findAction,
    findAssistant,

    /** Reads all Actions of an organization, for lists. Requests read only the Actions that they need. */
    actionsOf: async (orgId: string): Promise<ActionList> =>
      actionsIn(await itemsWithPrefix(client, table, KEYS.organization(orgId).pk, SORT_PREFIXES.action)),

    /**
     * Finds an assistant's Actions of a trigger by the items that keep their slugs unique. Therefore the work does not depend on the
     * organization's other Actions.
     * @returns a function that reads the Actions, in the order of their slugs
     */
    findOffered: async (siteId: string, trigger: 'Form' | 'AI-decided'): Promise<() => Promise<ActionList>> => {
      const { pk, sk } = KEYS.slug(siteId, trigger, '');
      const slugs = await itemsWithPrefix(client, table, pk, sk);
      const [keys, withoutKey] = readEach(
        slugs,
        (slug) => readSlug(table, slug),
        (slug) => ({ action_id: keyIn(table, slug), site_id: siteId }),
      );
      return async () => {
        const found = itemsOf(
          client,
          table,
          keys.map(({ org_id, action_id }) => KEYS.action(org_id, action_id)),
        );
        const items = (await Promise.all(found)).filter((item) => item !== undefined);
        const { actions, unreadable } = actionsIn(items);
        return { actions, unreadable: [...withoutKey, ...unreadable] };
      };
    },

    findForm: async (siteId: string, slug: string): Promise<FormAction | undefined> => {
      const action = await bySlug(siteId, 'Form', slug);
      return action?.trigger === 'Form' ? action : undefined;
    },

    findTool: async (siteId: string, slug: string): Promise<AiAction | undefined> => {
      const action = await bySlug(siteId, 'AI-decided', slug);
      return action?.trigger === 'AI-decided' ? action : undefined;
    },

    anyDomain: async (entries: readonly string[]): Promise<boolean> => {
      const found = await Promise.all(
        entries.map((entry) =>
          client.query({
            TableName: table,
            ConsistentRead: true,
            Limit: 1,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': KEYS.domain(entry, '').pk },
          }),
        ),
      );
      return found.some(({ Items }) => Items.map((item) => readKey(table, item)).length > 0);
    },
  };
}

/** Reads each item by itself, so that one which cannot be read does not affect the others. */
function readEach<Value>(
  items: readonly StoredItem[],
  read: (item: StoredItem) => Value,
  nameOf: (item: StoredItem) => Omit<UnreadableAction, 'cause'>,
): readonly [values: readonly Value[], unreadable: readonly UnreadableAction[]] {
  const values: Value[] = [];
  const unreadable: UnreadableAction[] = [];
  for (const item of items) {
    try {
      values.push(read(item));
    } catch (cause) {
      if (!isUnreadable(cause)) throw cause;
      unreadable.push({ ...nameOf(item), cause });
    }
  }
  return [values, unreadable];
}

/** Returns the sort key of an item, also when newer code wrote the item. */
const keyIn = (table: string, item: StoredItem) => readKey(table, { ...item, v: undefined }).sk;

/** Returns the id in the key of an Action's item, also when newer code wrote the item. */
export const actionIdIn = (table: string, item: StoredItem) => keyIn(table, item).slice(SORT_PREFIXES.action.length);

/** Returns the site of an unreadable Action; undefined when it cannot be read either, or when newer code wrote the Action. */
function siteIn(table: string, item: StoredItem): string | undefined {
  try {
    return readSubscription(table, item).action.site_id;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
