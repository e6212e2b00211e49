import type { Action, AiAction, FormAction, Trigger } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { itemsUnder } from './items-under.ts';

/** The reads that answer requests. All are strongly consistent: a change in the dashboard works with the next request. */
export function configurationReads(client: DynamoDb, table: string) {
  const get = async (key: Record<string, string>) => {
    const { Item } = await client.get({ TableName: table, Key: key, ConsistentRead: true });
    return Item;
  };

  const findAction = async (orgId: string, actionId: string): Promise<Action | undefined> =>
    (await get(KEYS.action(orgId, actionId)))?.action;

  const findAssistant = async (siteId: string): Promise<Assistant | undefined> =>
    (await get(KEYS.assistant(siteId)))?.assistant;

  const bySlug = async (siteId: string, trigger: Trigger, slug: string): Promise<Action | undefined> => {
    const pointer = await get(KEYS.slug(siteId, trigger, slug));
    return pointer === undefined ? undefined : findAction(String(pointer.org_id), String(pointer.action_id));
  };

  const actionsOf = async (orgId: string): Promise<readonly Action[]> => {
    const actions: Action[] = [];
    const items = itemsUnder(client, table, KEYS.organization(orgId).pk, SORT_PREFIXES.action);
    for await (const { action } of items) actions.push(action);
    return actions;
  };

  return {
    findAction,
    actionsOf,
    findAssistant,

    formsOf: async (assistant: Assistant): Promise<readonly FormAction[]> =>
      (await actionsOf(assistant.org_id)).filter(
        (action): action is FormAction =>
          action.trigger === 'Form' && action.enabled && action.site_id === assistant.site_id,
      ),

    findForm: async (siteId: string, slug: string): Promise<FormAction | undefined> => {
      const action = await bySlug(siteId, 'Form', slug);
      return action?.trigger === 'Form' ? action : undefined;
    },

    findTool: async (siteId: string, slug: string): Promise<AiAction | undefined> => {
      const action = await bySlug(siteId, 'AI-decided', slug);
      return action?.trigger === 'AI-decided' ? action : undefined;
    },

    /** Enabled AI-decided Actions; none for a site that does not exist. */
    toolsOf: async (siteId: string): Promise<readonly AiAction[]> => {
      const assistant = await findAssistant(siteId);
      const actions = assistant === undefined ? [] : await actionsOf(assistant.org_id);
      return actions.filter(
        (action): action is AiAction => action.trigger === 'AI-decided' && action.enabled && action.site_id === siteId,
      );
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
      return found.some((page) => page.Items.length > 0);
    },
  };
}
