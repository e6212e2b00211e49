import type { Action, AiAction, FormAction, Trigger } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { ActionList, UnreadableAction } from '../../domain/organizations/store.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { itemsOf, itemsWithPrefix } from './item-reads.ts';
import { readAction, readAssistant, readSlug, readSubscription } from './stored-configuration.ts';
import { findItem, isUnreadable, readKey, type StoredItem } from './stored-item.ts';

/**
 * Creates the reads of the configuration that requests need. All are strongly consistent, so that a change in the dashboard takes effect
 * with the next request. An item that cannot be read is an UnreadableItem or a NewerItem error; in a list of Actions it affects only
 * that Action.
 * @param report is called for each Action that findForms and toolsOf leave out because it cannot be read
 */
export function configurationReads(
  client: DynamoDb,
  table: string,
  report: (action: UnreadableAction) => void = () => undefined,
) {
  const findAction = async (orgId: string, actionId: string): Promise<Action | undefined> =>
    (await findItem(client, table, KEYS.action(orgId, actionId), readAction))?.action;

  const bySlug = async <Kind extends Trigger>(siteId: string, trigger: Kind, slug: string) => {
    const pointer = await findItem(client, table, KEYS.slug(siteId, trigger, slug), readSlug);
    const action = pointer && (await findAction(pointer.org_id, pointer.action_id));
    return action !== undefined && hasTrigger(action, trigger) ? action : undefined;
  };

  const actionsIn = (items: readonly StoredItem[]): ActionList => {
    const [actions, unreadable] = readEach(
      items,
      (item) => readAction(table, item).action,
      (item) => ({ action_id: actionIdIn(table, item), site_id: siteIn(table, item) }),
    );
    return { actions, unreadable };
  };

  /**
   * Finds an assistant's enabled Actions of a trigger by the items that keep their slugs unique. Therefore the work does not depend on the
   * organization's other Actions.
   * @returns a function that reads the Actions, in the order of their slugs
   */
  const offered = async <Kind extends Trigger>(siteId: string, trigger: Kind) => {
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
      const { actions, unreadable } = actionsIn((await Promise.all(found)).filter((item) => item !== undefined));
      for (const action of [...withoutKey, ...unreadable]) report(action);
      // The items of the slugs only find the Actions. The Action itself decides.
      return actions
        .filter((action) => hasTrigger(action, trigger))
        .filter(({ enabled, site_id }) => enabled && site_id === siteId);
    };
  };

  return {
    findAction,

    findAssistant: async (siteId: string): Promise<Assistant | undefined> =>
      (await findItem(client, table, KEYS.assistant(siteId), readAssistant))?.assistant,

    /** Reads all Actions of an organization, for lists. Requests read only the Actions that they need. */
    actionsOf: async (orgId: string): Promise<ActionList> =>
      actionsIn(await itemsWithPrefix(client, table, KEYS.organization(orgId).pk, SORT_PREFIXES.action)),

    /** Finds the enabled forms of a site. @returns a function that reads them */
    findForms: (siteId: string): Promise<() => Promise<readonly FormAction[]>> => offered(siteId, 'Form'),

    /** Returns an empty list for a site that does not exist. */
    toolsOf: async (siteId: string): Promise<readonly AiAction[]> => (await offered(siteId, 'AI-decided'))(),

    findForm: (siteId: string, slug: string): Promise<FormAction | undefined> => bySlug(siteId, 'Form', slug),

    findTool: (siteId: string, slug: string): Promise<AiAction | undefined> => bySlug(siteId, 'AI-decided', slug),

    anyDomain: async (entries: readonly string[]): Promise<boolean> => {
      const found = await Promise.all(
        entries.map((entry) =>
          client.query({
            TableName: table,
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

const hasTrigger = <Kind extends Trigger>(
  action: Action,
  trigger: Kind,
): action is Extract<Action, { trigger: Kind }> => action.trigger === trigger;

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
