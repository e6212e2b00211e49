import type { Assistant } from '../../contract/assistants.ts';
import { ASSISTANTS_PER_PAGE } from '../../contract/limits.ts';
import type { ConfigurationStore } from '../../domain/organizations/store.ts';
import { backOff } from './backoff.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import {
  ABSENT,
  type ConfigurationTransaction,
  hasRestrictionsOf,
  sameRestrictions,
} from './configuration-transaction.ts';
import { itemsOf } from './items-of.ts';
import { namesPage } from './items-with-prefix.ts';
import { readAssistant, readAssistantCount, readOrganization } from './stored-configuration.ts';

/** Creations of assistants of one organization take turns. */
const CREATION_ATTEMPTS = 10;

type Calls = 'createAssistant' | 'replaceAssistant' | 'assistantsPage' | 'listAssistants';

/** Creates the part of the configuration store that changes and lists assistants. */
export function assistantStore(
  client: DynamoDb,
  table: string,
  { put, remove, replace, transact }: ConfigurationTransaction,
): Pick<ConfigurationStore, Calls> {
  const sitesOf = (orgId: string) => ({ pk: KEYS.organization(orgId).pk, prefix: SORT_PREFIXES.site });

  const assistantItem = (assistant: Assistant) => ({ ...KEYS.assistant(assistant.site_id), assistant });
  const domainItems = (assistant: Assistant) =>
    assistant.domain === '' ? [] : [KEYS.domain(assistant.domain, assistant.site_id)];

  const assistantsPage: ConfigurationStore['assistantsPage'] = async (orgId, after) => {
    const { names, next } = await namesPage(client, table, sitesOf(orgId), { after, atMost: ASSISTANTS_PER_PAGE });
    const items = await Promise.all(itemsOf(client, table, names.map(KEYS.assistant)));
    const found = items.filter((item) => item !== undefined);
    return { assistants: found.map((item) => readAssistant(table, item).assistant), next };
  };

  return {
    createAssistant: async (assistant, limit) => {
      const Key = KEYS.organization(assistant.org_id);
      const { expression, values } = sameRestrictions(assistant);
      for (let attempt = 0; attempt < CREATION_ATTEMPTS; attempt++) {
        await backOff(attempt);
        const { Item } = await client.get({ TableName: table, Key });
        if (Item === undefined || !hasRestrictionsOf(assistant, readOrganization(table, Item).organization)) {
          return 'organization_changed';
        }
        const { assistant_count: seen } = readAssistantCount(table, Item);
        const { names } = await namesPage(client, table, sitesOf(assistant.org_id), {
          after: undefined,
          atMost: limit,
        });
        if (names.length >= limit) return 'too_many';
        // The index has the number. The organization's item makes concurrent creations take turns: the second one counts again.
        const failed = await transact(
          { entity: 'assistant', next: assistant },
          {
            organization: {
              Update: {
                TableName: table,
                Key,
                UpdateExpression: 'SET assistant_count = :count',
                ConditionExpression: `${expression} AND ${seen === undefined ? 'attribute_not_exists(assistant_count)' : 'assistant_count = :seen'}`,
                ExpressionAttributeValues: {
                  ...values,
                  ':count': names.length + 1,
                  ...(seen === undefined ? {} : { ':seen': seen }),
                },
              },
            },
            assistant: put(assistantItem(assistant), ABSENT),
            site: put(KEYS.organizationSite(assistant.org_id, assistant.site_id)),
            domain: domainItems(assistant).map((item) => put(item)),
          },
        );
        if (failed.length === 0) return 'created';
        if (!failed.includes('organization')) throw new Error(`The id of assistant ${assistant.site_id} is in use`);
      }
      throw new Error(
        `Other assistants of ${assistant.org_id} were created during each of ${CREATION_ATTEMPTS} attempts`,
      );
    },

    replaceAssistant: async (previous, next) => {
      const domainChanged = previous.domain !== next.domain;
      const failed = await transact(
        { entity: 'assistant', previous, next },
        {
          assistant: replace(KEYS.assistant(next.site_id), 'assistant', next, previous.version),
          formerDomain: domainChanged ? domainItems(previous).map(remove) : [],
          domain: domainChanged ? domainItems(next).map((item) => put(item)) : [],
        },
      );
      return failed.length === 0;
    },

    assistantsPage,

    listAssistants: async (orgId) => {
      const all: Assistant[] = [];
      let after: string | undefined;
      do {
        const { assistants, next } = await assistantsPage(orgId, after);
        all.push(...assistants);
        after = next;
      } while (after !== undefined);
      return all;
    },
  };
}
