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
import { itemsOf, namesPage } from './item-reads.ts';
import { readActionOwner, readAssistant, readAssistantCount, readOrganization } from './stored-configuration.ts';
import { findItem } from './stored-item.ts';
import { backOff } from './throttling.ts';

/**
 * Creates the store of the configuration for the operator's command line and the dashboard. Every change is one transaction.
 * @param alongside as in configurationTransaction
 */
export function configurationStore(
  client: DynamoDb,
  table: string,
  alongside: (mutation: Mutation) => NamedWrites = () => ({}),
): ConfigurationStore {
  const reads = configurationReads(client, table);
  const transaction = configurationTransaction(client, table, alongside);
  const organizations = organizationStore(client, table);
  return {
    ...organizations,
    ...assistantStore(client, table, transaction),
    ...actionStore(table, transaction, organizations),
    findAssistant: reads.findAssistant,
    findAction: reads.findAction,
    findActionById: async (actionId) => {
      const owner = await findItem(client, table, KEYS.actionOwner(actionId), readActionOwner);
      return owner === undefined ? undefined : reads.findAction(owner.org_id, actionId);
    },

    listActions: (orgId) => reads.actionsOf(orgId),
  };
}

type OrganizationCalls = 'createOrganization' | 'changeOrganization' | 'findOrganization' | 'listOrganizations';

/** Creates the part of the configuration store that keeps organizations. */
function organizationStore(client: DynamoDb, table: string): Pick<ConfigurationStore, OrganizationCalls> {
  return {
    createOrganization: async (organization) => {
      const existing = await conditionFailure(
        client.put({
          TableName: table,
          Item: { ...KEYS.organization(organization.org_id), organization, action_count: 0 },
          ...ABSENT,
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

    findOrganization: async (orgId) =>
      (await findItem(client, table, KEYS.organization(orgId), readOrganization))?.organization,

    // Uses a scan, because only the operator lists organizations, and an index would be one hot partition.
    listOrganizations: async function* () {
      const pages = client.scanPages({
        TableName: table,
        FilterExpression: 'sk = :sk',
        ExpressionAttributeValues: { ':sk': 'ORG' },
      });
      for await (const { Items } of pages) for (const item of Items) yield readOrganization(table, item).organization;
    },
  };
}

/** Creations of assistants of one organization take turns. */
const CREATION_ATTEMPTS = 10;

type AssistantCalls = 'createAssistant' | 'replaceAssistant' | 'assistantsPage' | 'listAssistants';

/** Creates the part of the configuration store that changes and lists assistants. */
function assistantStore(
  client: DynamoDb,
  table: string,
  { put, remove, replace, transact }: ConfigurationTransaction,
): Pick<ConfigurationStore, AssistantCalls> {
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

type ActionCalls = 'createAction' | 'replaceAction' | 'deleteAction';

/** Creates the part of the configuration store that changes Actions. */
function actionStore(
  table: string,
  { put, remove, replace, atVersion, transact }: ConfigurationTransaction,
  { findOrganization }: Pick<ConfigurationStore, 'findOrganization'>,
): Pick<ConfigurationStore, ActionCalls> {
  const actionItem = (action: Action) => ({ ...KEYS.action(action.org_id, action.action_id), action });

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
    createAction: async (action) => {
      const { expression, values } = sameRestrictions(action);
      const failed = await transact(
        { entity: 'action', next: action },
        {
          organization: {
            Update: {
              TableName: table,
              Key: KEYS.organization(action.org_id),
              UpdateExpression: `SET action_count = action_count + :one ${oneMoreVersion}`,
              ConditionExpression: `action_count < :limit AND ${expression}`,
              ExpressionAttributeValues: { ...values, ':one': 1, ':limit': ACTIONS_PER_ORGANIZATION },
            },
          },
          action: put(actionItem(action), ABSENT),
          owner: put({ ...KEYS.actionOwner(action.action_id), org_id: action.org_id }),
          slug: slugItems(action).map((item) => put(item, ABSENT)),
        },
      );
      if (failed.length === 0) return 'created';
      if (!failed.includes('organization')) return 'slug_taken';
      const organization = await findOrganization(action.org_id);
      return organization !== undefined && hasRestrictionsOf(action, organization)
        ? 'too_many'
        : 'organization_changed';
    },

    replaceAction: async (previous, next) => {
      const slugChanged = previous.slug !== next.slug;
      const failed = await transact(
        { entity: 'action', previous, next },
        {
          action: replace(KEYS.action(next.org_id, next.action_id), 'action', next, previous.version),
          formerSlug: slugChanged ? slugItems(previous).map(({ pk, sk }) => remove({ pk, sk })) : [],
          slug: slugChanged ? slugItems(next).map((item) => put(item, ABSENT)) : [],
          subscriptions: newSubscriptions(next),
        },
      );
      if (failed.length === 0) return 'replaced';
      return failed.includes('slug') && !failed.includes('action') ? 'slug_taken' : 'stale';
    },

    deleteAction: async (action) => {
      const failed = await transact(
        { entity: 'action', previous: action },
        {
          action: {
            Delete: {
              TableName: table,
              Key: KEYS.action(action.org_id, action.action_id),
              ...atVersion('action', action.version),
            },
          },
          owner: remove(KEYS.actionOwner(action.action_id)),
          log: put(KEYS.logOfDeletedAction(action.org_id, action.site_id, action.action_id)),
          slug: slugItems(action).map(({ pk, sk }) => remove({ pk, sk })),
          organization: {
            Update: {
              TableName: table,
              Key: KEYS.organization(action.org_id),
              UpdateExpression: `SET action_count = action_count - :one ${oneMoreVersion}`,
              ConditionExpression: 'action_count > :none',
              ExpressionAttributeValues: { ':one': 1, ':none': 0 },
            },
          },
        },
      );
      return failed.length === 0;
    },
  };
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction, by name. A name may have any number of writes. */
export type NamedWrites = Readonly<Record<string, TransactItem | readonly TransactItem[]>>;

type ConfigurationTransaction = ReturnType<typeof configurationTransaction>;

/** The condition of a put that must not replace an item. */
const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * Creates the parts of a change of the configuration: its writes, and the transaction that makes them.
 * @param alongside returns further writes for the transaction: the audit record, and the idempotency key as `creation`
 */
function configurationTransaction(client: DynamoDb, table: string, alongside: (mutation: Mutation) => NamedWrites) {
  const put = (
    item: Record<string, unknown>,
    condition: Omit<TransactItem['Put'] & object, 'TableName' | 'Item'> = {},
  ) => ({
    Put: { TableName: table, Item: item, ...condition },
  });
  const remove = (key: Record<string, string>) => ({ Delete: { TableName: table, Key: key } });
  /** @returns the names of the writes whose conditions did not hold @throws CreationTaken */
  const transact = async (mutation: Mutation, writes: NamedWrites): Promise<readonly string[]> => {
    const all = Object.entries({ ...writes, ...alongside(mutation) }).flatMap(([name, items]) =>
      [items].flat().map((item) => ({ name, item })),
    );
    const TransactItems = all.map(({ item }) => item);
    const positions = await transactionFailures(() => client.transactWrite({ TransactItems }));
    const failed = positions.flatMap((position) => all[position]?.name ?? []);
    if (failed.includes('creation')) throw new CreationTaken();
    return failed;
  };

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

  return { put, remove, replace, atVersion, transact };
}

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

const hasRestrictionsOf = (part: OrganizationRestrictions, organization: Organization) =>
  isDeepStrictEqual(restrictionsOf(organization), restrictionsOf(part));
