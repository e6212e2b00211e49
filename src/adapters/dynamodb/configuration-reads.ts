import { TRIGGERS } from '../../contract/action-kinds.ts';
import type { Action, AiAction, FormAction, Trigger } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { ActionList, Subscription, UnreadableAction } from '../../domain/organizations/store.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { NewerItem } from './item-version.ts';
import { type Filter, itemsUnder } from './items-under.ts';
import { readAction, readAssistant, readSlug, readSubscription } from './stored-configuration.ts';
import { readKey, type StoredItem, UnreadableItem } from './stored-item.ts';

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

  /**
   * @param trigger leaves out Actions with another trigger. Every page view and every event reads Actions, and the parameters of
   * AI-decided Actions are long.
   */
  const actionsOf = async (orgId: string, trigger?: Trigger): Promise<ActionList> => {
    const actions: Action[] = [];
    const unreadable: UnreadableAction[] = [];
    const { pk } = KEYS.organization(orgId);
    const filter = trigger === undefined ? undefined : ofTrigger(trigger);
    for await (const item of itemsUnder(client, table, pk, SORT_PREFIXES.action, filter)) {
      try {
        actions.push(readAction(table, item).action);
      } catch (error) {
        if (!(error instanceof UnreadableItem || error instanceof NewerItem)) throw error;
        const action_id = readKey(table, { ...item, v: undefined }).sk.slice(SORT_PREFIXES.action.length);
        unreadable.push({ action_id, subscription: subscriptionIn(table, item), cause: error });
      }
    }
    return { actions, unreadable };
  };

  return {
    findAction,
    actionsOf,
    findAssistant,

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

/**
 * Returns a filter that leaves out the other triggers. An Action with a missing or wrong trigger is kept, so that it is reported as
 * unreadable.
 */
const ofTrigger = (trigger: Trigger): Filter => {
  const others = TRIGGERS.filter((other) => other !== trigger).map((other, index): [string, Trigger] => [
    `:t${index}`,
    other,
  ]);
  return {
    expression: `NOT (#action.#trigger IN (${others.map(([name]) => name).join(', ')}))`,
    names: { '#action': 'action', '#trigger': 'trigger' },
    values: Object.fromEntries(others),
  };
};

/** Returns the subscription of an unreadable Action; undefined when it cannot be read either, or when newer code wrote the Action. */
function subscriptionIn(table: string, item: StoredItem): Subscription | undefined {
  try {
    return readSubscription(table, item).action;
  } catch (error) {
    if (error instanceof UnreadableItem || error instanceof NewerItem) return undefined;
    throw error;
  }
}
