import { isDeepStrictEqual } from 'node:util';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { ACTIONS_PER_ORGANIZATION, ASSISTANTS_PER_PAGE } from '../../contract/limits.ts';
import type { Organization, OrganizationRestrictions } from '../../contract/organizations.ts';
import type { Mutation } from '../../domain/organizations/audit.ts';
import { CreationTaken } from '../../domain/organizations/recorded-changes.ts';
import { restrictionsOf } from '../../domain/organizations/restrictions.ts';
import type { ConfigurationStore } from '../../domain/organizations/store.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, transactionFailures } from './conditions.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { configurationReads } from './configuration-reads.ts';
import { itemsOf } from './items-of.ts';
import { namesPage } from './items-under.ts';
import { readActionOwner, readAssistant, readAssistantCount, readOrganization } from './stored-configuration.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Creations of assistants of one organization take turns. */
const CREATION_ATTEMPTS = 10;

/**
 * Creates the store of the configuration for the operator's command line and the dashboard. Every change is one transaction.
 * @param alongside returns further writes for the transaction of a change. A failed condition of theirs means that the idempotency key
 * was used before.
 */
export function configurationStore(
  client: DynamoDb,
  table: string,
  alongside: (mutation: Mutation) => readonly TransactItem[] = () => [],
): ConfigurationStore {
  const reads = configurationReads(client, table);
  const put = (
    item: Record<string, unknown>,
    condition: Omit<TransactItem['Put'] & object, 'TableName' | 'Item'> = {},
  ) => ({
    Put: { TableName: table, Item: item, ...condition },
  });
  const remove = (key: Record<string, string>) => ({ Delete: { TableName: table, Key: key } });
  const transact = async (mutation: Mutation, items: TransactItem[]) => {
    const all = [...items, ...alongside(mutation)];
    const failed = await transactionFailures(() => client.transactWrite({ TransactItems: all }));
    if (failed.some((position) => position >= items.length)) throw new CreationTaken();
    return failed;
  };

  const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
  const atVersion = (entity: 'assistant' | 'action', version: number) => ({
    ConditionExpression: '#entity.#version = :version',
    ExpressionAttributeNames: { '#entity': entity, '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  });
  /** Replaces the version of an entity that was read. Other attributes of its item are kept. */
  const replace = (
    key: Record<string, string>,
    entity: 'assistant' | 'action',
    next: Record<string, unknown>,
    version: number,
  ) => {
    const { ExpressionAttributeValues, ...condition } = atVersion(entity, version);
    return {
      Update: {
        TableName: table,
        Key: key,
        UpdateExpression: 'SET #entity = :next',
        ...condition,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':next': next },
      },
    };
  };
  const assistantItem = (assistant: Assistant) => ({ ...KEYS.assistant(assistant.site_id), assistant });
  const actionItem = (action: Action) => ({
    ...KEYS.action(action.org_id, action.action_id),
    action: storable(action),
  });

  /** Checks that the organization exists and has the same restrictions as the item in the same transaction. */
  const sameRestrictions = ({ suspended = false, daily_outbound_quota = null }: OrganizationRestrictions) => ({
    expression: [
      'attribute_exists(pk)',
      suspended
        ? 'organization.suspended = :suspended'
        : '(attribute_not_exists(organization.suspended) OR organization.suspended = :suspended)',
      daily_outbound_quota === null
        ? '(attribute_not_exists(organization.daily_outbound_quota) OR organization.daily_outbound_quota = :quota)'
        : 'organization.daily_outbound_quota = :quota',
    ].join(' AND '),
    values: { ':suspended': suspended, ':quota': daily_outbound_quota },
  });

  const findOrganization = async (orgId: string): Promise<Organization | undefined> => {
    const { Item } = await client.get({ TableName: table, Key: KEYS.organization(orgId), ConsistentRead: true });
    return Item === undefined ? undefined : readOrganization(table, Item).organization;
  };

  const domainItems = (assistant: Assistant) =>
    assistant.domain === '' ? [] : [KEYS.domain(assistant.domain, assistant.site_id)];
  /** Event Actions are not called by their slug, so they need no unique one. */
  const slugItems = (action: Action) =>
    action.trigger === 'Event'
      ? []
      : [
          {
            ...KEYS.slug(action.site_id, action.trigger, action.slug),
            org_id: action.org_id,
            action_id: action.action_id,
          },
        ];

  const hasRestrictionsOf = (part: OrganizationRestrictions, organization: Organization) =>
    isDeepStrictEqual(restrictionsOf(organization), restrictionsOf(part));
  const sitesOf = (orgId: string) => ({ pk: KEYS.organization(orgId).pk, prefix: SORT_PREFIXES.site });

  const assistantsPage: ConfigurationStore['assistantsPage'] = async (orgId, after) => {
    const { names, next } = await namesPage(client, table, sitesOf(orgId), { after, atMost: ASSISTANTS_PER_PAGE });
    const items = await Promise.all(itemsOf(client, table, names.map(KEYS.assistant)));
    const found = items.filter((item) => item !== undefined);
    return { assistants: found.map((item) => readAssistant(table, item).assistant), next };
  };

  const oneMoreVersion = 'ADD subscriptions_version :one';
  /** Makes the event-router read the subscriptions again (subscriptions.ts), after a change of an Event Action. */
  const newSubscriptions = ({ trigger, org_id }: Action) =>
    trigger !== 'Event'
      ? []
      : [
          {
            Update: {
              TableName: table,
              Key: KEYS.organization(org_id),
              UpdateExpression: oneMoreVersion,
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':one': 1 },
            },
          },
        ];

  return {
    createOrganization: async (organization) => {
      const existing = await conditionFailure(
        client.put({
          TableName: table,
          Item: { ...KEYS.organization(organization.org_id), organization, action_count: 0 },
          ...absent,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        (item) => isDeepStrictEqual(readOrganization(table, item).organization, organization),
      );
      if (existing !== undefined) throw new Error(`The id of organization ${organization.org_id} is in use`);
    },

    changeOrganization: async (orgId, change) => {
      const settings = Object.entries(change);
      await client.update({
        TableName: table,
        Key: KEYS.organization(orgId),
        UpdateExpression: `SET ${settings.map((_, index) => `organization.#name${index} = :value${index}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(organization)',
        ExpressionAttributeNames: Object.fromEntries(settings.map(([name], index) => [`#name${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(settings.map(([, value], index) => [`:value${index}`, value])),
      });
    },

    findOrganization,

    // Uses a scan, because only the operator lists organizations, and an index would be one hot partition.
    listOrganizations: async function* () {
      const pages = client.scanPages({
        TableName: table,
        FilterExpression: 'sk = :sk',
        ExpressionAttributeValues: { ':sk': 'ORG' },
      });
      for await (const { Items } of pages) for (const item of Items) yield readOrganization(table, item).organization;
    },

    createAssistant: async (assistant, limit) => {
      const Key = KEYS.organization(assistant.org_id);
      const { expression, values } = sameRestrictions(assistant);
      for (let attempt = 0; attempt < CREATION_ATTEMPTS; attempt++) {
        if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 10 * Math.random()));
        const { Item } = await client.get({ TableName: table, Key, ConsistentRead: true });
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
        const failed = await transact({ entity: 'assistant', next: assistant }, [
          {
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
          put(assistantItem(assistant), absent),
          put(KEYS.organizationSite(assistant.org_id, assistant.site_id)),
          ...domainItems(assistant).map((item) => put(item)),
        ]);
        if (failed.length === 0) return 'created';
        if (!failed.includes(0)) throw new Error(`The id of assistant ${assistant.site_id} is in use`);
      }
      throw new Error(
        `Other assistants of ${assistant.org_id} were created during each of ${CREATION_ATTEMPTS} attempts`,
      );
    },

    replaceAssistant: async (previous, next) => {
      const domainChanged = previous.domain !== next.domain;
      const failed = await transact({ entity: 'assistant', previous, next }, [
        replace(KEYS.assistant(next.site_id), 'assistant', next, previous.version),
        ...(domainChanged ? domainItems(previous).map(remove) : []),
        ...(domainChanged ? domainItems(next).map((item) => put(item)) : []),
      ]);
      return failed.length === 0;
    },

    findAssistant: reads.findAssistant,

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

    createAction: async (action) => {
      const { expression, values } = sameRestrictions(action);
      const failed = await transact({ entity: 'action', next: action }, [
        {
          Update: {
            TableName: table,
            Key: KEYS.organization(action.org_id),
            UpdateExpression: `SET action_count = action_count + :one ${oneMoreVersion}`,
            ConditionExpression: `action_count < :limit AND ${expression}`,
            ExpressionAttributeValues: { ...values, ':one': 1, ':limit': ACTIONS_PER_ORGANIZATION },
          },
        },
        put(actionItem(action), absent),
        put({ ...KEYS.actionOwner(action.action_id), org_id: action.org_id }),
        ...slugItems(action).map((item) => put(item, absent)),
      ]);
      if (failed.length === 0) return 'created';
      if (!failed.includes(0)) return 'slug_taken';
      const organization = await findOrganization(action.org_id);
      return organization !== undefined && hasRestrictionsOf(action, organization)
        ? 'too_many'
        : 'organization_changed';
    },

    replaceAction: async (previous, next) => {
      const slugChanged = previous.slug !== next.slug;
      const failed = await transact({ entity: 'action', previous, next }, [
        replace(KEYS.action(next.org_id, next.action_id), 'action', storable(next), previous.version),
        ...(slugChanged ? slugItems(previous).map(({ pk, sk }) => remove({ pk, sk })) : []),
        ...(slugChanged ? slugItems(next).map((item) => put(item, absent)) : []),
        ...newSubscriptions(next),
      ]);
      if (failed.length === 0) return 'replaced';
      return failed.includes(0) || next.trigger === 'Event' ? 'stale' : 'slug_taken';
    },

    deleteAction: async (action) => {
      const failed = await transact({ entity: 'action', previous: action }, [
        {
          Delete: {
            TableName: table,
            Key: KEYS.action(action.org_id, action.action_id),
            ...atVersion('action', action.version),
          },
        },
        remove(KEYS.actionOwner(action.action_id)),
        put(KEYS.leftLog(action.org_id, action.site_id, action.action_id)),
        ...slugItems(action).map(({ pk, sk }) => remove({ pk, sk })),
        {
          Update: {
            TableName: table,
            Key: KEYS.organization(action.org_id),
            UpdateExpression: `SET action_count = action_count - :one ${oneMoreVersion}`,
            ConditionExpression: 'action_count > :none',
            ExpressionAttributeValues: { ':one': 1, ':none': 0 },
          },
        },
      ]);
      return failed.length === 0;
    },

    findActionById: async (actionId) => {
      const { Item } = await client.get({ TableName: table, Key: KEYS.actionOwner(actionId), ConsistentRead: true });
      return Item === undefined ? undefined : reads.findAction(readActionOwner(table, Item).org_id, actionId);
    },

    listActions: (orgId) => reads.actionsOf(orgId),
  };
}

/**
 * Returns an Action in a form that can be stored. The conversion to attribute values reads the `constructor` of an object, so it fails
 * for an object in which an admin has chosen this name. A Map is stored as the same attribute.
 */
function storable(action: Action): Record<string, unknown> {
  if (action.trigger !== 'AI-decided') return action;
  const { parameters, response_field_map } = action;
  return {
    ...action,
    parameters: parameters && { ...parameters, properties: new Map(Object.entries(parameters.properties)) },
    response_field_map: response_field_map && new Map(Object.entries(response_field_map)),
  };
}
