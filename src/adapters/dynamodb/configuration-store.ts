import { isDeepStrictEqual } from 'node:util';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { ACTIONS_PER_ORGANIZATION, ASSISTANTS_PER_PAGE, AUDIT_PER_PAGE } from '../../contract/limits.ts';
import type { Organization, OrganizationRestrictions } from '../../contract/organizations.ts';
import type { AssistantList, Author, ConfigurationStore } from '../../domain/context.ts';
import { auditRecord, type Mutation } from '../../domain/organizations/changes.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import { batchedReads } from './batch-calls.ts';
import type { DynamoDb, StoredItem } from './client.ts';
import {
  ABSENT,
  ANY,
  auditPartition,
  KEYS,
  notDeleted,
  readActionOwner,
  readAssistant,
  readAuditRecord,
  readCreation,
  readOrganization,
  storedAction,
  writeRecorded,
} from './configuration-items.ts';
import { assistantOfOrganization, configurationReads, deletedOrganization } from './configuration-reads.ts';
import { ConditionFailed, conditionFailure } from './storage-errors.ts';
import { allUnder, findItem, namesPage, readEach, readKey } from './stored-items.ts';

/**
 * Creates the store of the configuration for the operator's command line and the dashboard. Every change of what exists, and every creation in an
 * organization, is one transaction, with its audit record.
 * @param auditClock the time of audit records. Without this clock, changes have none
 */
export function configurationStore(client: DynamoDb, table: string, auditClock?: Clock): ConfigurationStore {
  const reads = configurationReads(client, table);
  const transaction = configurationTransaction(client, table, auditClock);
  const { putOf, remove, replace, addTo, atVersion, creationWrites, transact } = transaction;
  const itemOf = batchedReads(client, table);

  const domainItems = (assistant: Assistant) =>
    assistant.domain === '' ? [] : [KEYS.domain(assistant.domain, assistant.site_id)];

  const assistantsPage: ConfigurationStore['assistantsPage'] = async (orgId, after) => {
    const sites = KEYS.organizationSite(orgId, ANY);
    const { names, next } = await namesPage(client, table, sites, { after, atMost: ASSISTANTS_PER_PAGE });
    const items = await Promise.all(
      names.map(async (site_id) => ({ site_id, item: await itemOf(KEYS.assistant(site_id)) })),
    );
    const [assistants, unreadable] = readEach(
      items,
      ({ item }) => (item === undefined ? [] : [readAssistant(table, item).assistant]),
      ({ site_id }) => ({ site_id }),
    );
    return { assistants: assistants.flat(), unreadable, next };
  };

  const ownerOf: ConfigurationStore['ownerOf'] = async (id) => {
    if (id.startsWith('org_')) {
      const item = await itemOf(KEYS.organization(id));
      return item === undefined || deletedOrganization.safeParse(item).success ? undefined : id;
    }
    if (id.startsWith('site_'))
      return assistantOfOrganization.safeParse(await itemOf(KEYS.assistant(id))).data?.assistant.org_id;
    return (await findItem(client, table, KEYS.actionOwner(id), readActionOwner))?.org_id;
  };

  /** Keeps a slug unique, with what init and the tools need. Event Actions are not called by it, and have none. */
  const slugItems = ({ sealed_signing_secret, ...action }: Action) =>
    action.trigger === 'Event'
      ? []
      : [{ ...KEYS.slug(action.site_id, action.trigger, action.slug), action: storedAction(action) }];
  const slugKeys = (action: Action) => slugItems(action).map(({ pk, sk }) => ({ pk, sk }));

  return {
    createOrganization: async (organization) => {
      const existingItem = await conditionFailure(
        client.putItem({
          TableName: table,
          Item: { ...KEYS.organization(organization.org_id), organization, action_count: 0, assistant_count: 0 },
          ...ABSENT,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      // The same organization is there when the client repeated a write whose answer was lost.
      if (existingItem && !isDeepStrictEqual(readOrganization(table, existingItem).organization, organization))
        throw new Error(`The id of organization ${organization.org_id} is in use`);
    },

    changeOrganization: async (orgId, change, author) => {
      const settings = Object.entries(change);
      const previous = await findOrganization(client, table, orgId);
      if (previous === undefined) throw new ConditionFailed();
      const Update = {
        TableName: table,
        Key: KEYS.organization(orgId),
        UpdateExpression: `SET ${settings.map((_, index) => `organization.#name${index} = :value${index}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(organization)',
        ExpressionAttributeNames: Object.fromEntries(settings.map(([name], index) => [`#name${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(settings.map(([, value], index) => [`:value${index}`, value])),
      };
      const next = { ...previous, ...change };
      const mutation = { entity: 'organization', previous, next } as const;
      const refusedWrites = await transact(mutation, author, { organization: { Update } });
      if (refusedWrites.length > 0) throw new ConditionFailed();
    },

    findOrganization: (orgId) => findOrganization(client, table, orgId),

    // Uses a scan, because only the operator lists organizations, and an index would be one hot partition.
    listOrganizations: async function* () {
      const organizationOf = (item: StoredItem) => readOrganization(table, item).organization;
      const scan = { FilterExpression: 'sk = :sk', ExpressionAttributeValues: { ':sk': 'ORG' } };
      for await (const { Items } of client.scanPages({ TableName: table, ...scan })) {
        const [organizations, unreadable] = readEach(Items, organizationOf, () => ({}));
        yield { organizations, unreadable };
      }
    },

    createAssistant: async (assistant, limit, author) => {
      const refusedWrites = await transact({ entity: 'assistant', next: assistant }, author, {
        organization: addTo(assistant.org_id, { assistant_count: 1 }, hasRoom(assistant, 'assistant_count', limit)),
        assistant: putOf({ ...KEYS.assistant(assistant.site_id), assistant }, ABSENT),
        site: putOf(KEYS.organizationSite(assistant.org_id, assistant.site_id)),
        domain: domainItems(assistant).map((item) => putOf(item)),
        creation: creationWrites(assistant.site_id, assistant.created_at, author),
      });
      if (refusedWrites.length === 0) return 'created';
      return refusedWrites.includes('assistant') || refusedWrites.includes('creation')
        ? 'exists'
        : 'organization_refused';
    },

    replaceAssistant: async (previous, next, author) => {
      const domainChanged = previous.domain !== next.domain;
      const refusedWrites = await transact({ entity: 'assistant', previous, next }, author, {
        assistant: replace(KEYS.assistant(next.site_id), 'assistant', next, previous.version),
        formerDomain: domainChanged ? domainItems(previous).map((key) => remove(key)) : [],
        domain: domainChanged ? domainItems(next).map((item) => putOf(item)) : [],
      });
      return refusedWrites.length === 0;
    },

    assistantsPage,

    listAssistants: async (orgId) => {
      const pages: AssistantList[] = [];
      let after: string | undefined;
      do {
        const { next, ...page } = await assistantsPage(orgId, after);
        pages.push(page);
        after = next;
      } while (after !== undefined);
      return {
        assistants: pages.flatMap(({ assistants }) => assistants),
        unreadable: pages.flatMap(({ unreadable }) => unreadable),
      };
    },

    createAction: async (action, author) => {
      const refusedWrites = await transact({ entity: 'action', next: action }, author, {
        organization: addTo(
          action.org_id,
          { action_count: 1, subscriptions_version: 1 },
          hasRoom(action, 'action_count', ACTIONS_PER_ORGANIZATION),
        ),
        assistant: {
          ConditionCheck: { TableName: table, Key: KEYS.assistant(action.site_id), ...notDeleted('assistant') },
        },
        action: putOf({ ...KEYS.action(action.org_id, action.action_id), action: storedAction(action) }, ABSENT),
        owner: putOf({ ...KEYS.actionOwner(action.action_id), org_id: action.org_id }),
        slug: slugItems(action).map((item) => putOf(item, ABSENT)),
        creation: creationWrites(action.action_id, action.created_at, author),
      });
      if (refusedWrites.length === 0) return 'created';
      // The first condition that explains the others: what exists, then what is missing, then what is full.
      if (refusedWrites.includes('action') || refusedWrites.includes('creation')) return 'exists';
      if (refusedWrites.includes('assistant')) return 'no_assistant';
      return refusedWrites.includes('organization') ? 'organization_refused' : 'slug_taken';
    },

    replaceAction: async (previous, next, author) => {
      const slugChanged = previous.slug !== next.slug;
      const refusedWrites = await transact({ entity: 'action', previous, next }, author, {
        action: replace(KEYS.action(next.org_id, next.action_id), 'action', storedAction(next), previous.version),
        formerSlug: slugChanged ? slugKeys(previous).map((key) => remove(key)) : [],
        slug: slugItems(next).map((item) => putOf(item, slugChanged ? ABSENT : {})),
        organization: addTo(next.org_id, { subscriptions_version: 1 }),
      });
      if (refusedWrites.length === 0) return 'replaced';
      return refusedWrites.includes('slug') && !refusedWrites.includes('action') ? 'slug_taken' : 'stale';
    },

    deleteAction: async (action, author) => {
      const refusedWrites = await transact({ entity: 'action', previous: action }, author, {
        action: remove(KEYS.action(action.org_id, action.action_id), atVersion('action', action.version)),
        owner: remove(KEYS.actionOwner(action.action_id)),
        log: putOf(KEYS.logOfDeletedAction(action.org_id, action.site_id, action.action_id)),
        slug: slugKeys(action).map((key) => remove(key)),
        organization: addTo(action.org_id, { action_count: -1, subscriptions_version: 1 }),
      });
      return refusedWrites.length === 0;
    },

    record: async (record) => {
      await writeRecorded(client, table, [], record);
    },

    createdBy: async (author, now) => {
      if (author.kind === 'operator' || author.creationKey === undefined) return undefined;
      const { org_id, sub } = author.membership;
      const storedCreation = await findItem(
        client,
        table,
        KEYS.creation(org_id, sub, author.creationKey),
        readCreation,
      );
      return storedCreation !== undefined && storedCreation.expires_at > unixSeconds(now)
        ? storedCreation.created_id
        : undefined;
    },

    findAssistant: reads.findAssistant,
    findAction: reads.findAction,
    findActionById: async (actionId) => {
      const orgId = await ownerOf(actionId);
      return orgId === undefined ? undefined : reads.findAction(orgId, actionId);
    },
    ownerOf,

    listActions: reads.listActions,

    auditPage: async (orgId, after) => {
      const pk = auditPartition(orgId);
      const { Items, LastEvaluatedKey } = await client.query({
        ...allUnder(table, pk),
        ScanIndexForward: false,
        Limit: AUDIT_PER_PAGE,
        ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
      });
      const recordOf = (item: StoredItem) => readAuditRecord(table, item).record;
      const [records, unreadable] = readEach(Items, recordOf, () => ({ org_id: orgId }));
      const next = LastEvaluatedKey === undefined ? undefined : readKey(table, LastEvaluatedKey).sk;
      return { records, unreadable, next };
    },
  };
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction, by a name that tells the caller whose condition did not hold. A name may have any number of writes. */
type NamedWrites = Readonly<Record<string, TransactItem | readonly TransactItem[]>>;

const CREATION_KEY_SECONDS = 24 * 3600;

function configurationTransaction(client: DynamoDb, table: string, auditClock?: Clock) {
  const putOf = (item: Record<string, unknown>, condition: Partial<TransactItem['Put']> = {}) => ({
    Put: { TableName: table, Item: item, ...condition },
  });
  const remove = (key: Record<string, string>, condition: Partial<TransactItem['Delete']> = {}) => ({
    Delete: { TableName: table, Key: key, ...condition },
  });
  /** Returns the write of a creation's idempotency key, with which a repeated request finds what the first one has created, or that it is deleted. */
  const creationWrites = (createdId: string, createdAt: string, author: Author): readonly TransactItem[] => {
    if (author.kind === 'operator' || author.creationKey === undefined) return [];
    const at = unixSeconds(new Date(createdAt));
    const item = {
      ...KEYS.creation(author.membership.org_id, author.membership.sub, author.creationKey),
      created_id: createdId,
      expires_at: at + CREATION_KEY_SECONDS,
    };
    const isFree = {
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
      ExpressionAttributeValues: { ':now': at },
    };
    return [putOf(item, isFree)];
  };
  /** Makes the writes and the audit record of a change, all or none. @returns the names of the writes whose conditions did not hold */
  const transact = async (mutation: Mutation, author: Author, writes: NamedWrites): Promise<readonly string[]> => {
    const record = auditClock && auditRecord(mutation, author, auditClock());
    const all = Object.entries(writes).flatMap(([name, items]) => [items].flat().map((item) => ({ name, item })));
    const items = all.map(({ item }) => item);
    const positions = await writeRecorded(client, table, items, record);
    return positions.flatMap((position) => all[position]?.name ?? []);
  };

  /** The condition that an entity still has the version that the caller read. */
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

  /** Adds to numbers of an organization. The event-router reads it again when `subscriptions_version` changes. */
  const addTo = (
    orgId: string,
    numbers: Readonly<Record<string, number>>,
    { expression, values }: Condition = { expression: 'attribute_exists(pk)', values: {} },
  ) => {
    const additions = Object.keys(numbers).map((name) => `${name} :${name}`);
    const addends = Object.fromEntries(Object.entries(numbers).map(([name, by]) => [`:${name}`, by]));
    return {
      Update: {
        TableName: table,
        Key: KEYS.organization(orgId),
        UpdateExpression: `ADD ${additions.join(', ')}`,
        ConditionExpression: expression,
        ExpressionAttributeValues: { ...values, ...addends },
      },
    };
  };

  return { putOf, remove, replace, addTo, atVersion, creationWrites, transact };
}

type Condition = { readonly expression: string; readonly values: Readonly<Record<string, unknown>> };

/** The condition that an organization has room, is not being deleted, and still has the suspension and quota that the new part copied from it. */
const hasRoom = (
  { suspended: isSuspended = false, daily_outbound_quota = null }: OrganizationRestrictions,
  count: 'assistant_count' | 'action_count',
  limit: number,
): Condition => ({
  expression: [
    `${count} < :limit`,
    'attribute_not_exists(organization.deleting)',
    isSuspended
      ? 'organization.suspended = :suspended'
      : '(attribute_not_exists(organization.suspended) OR organization.suspended = :suspended)',
    daily_outbound_quota === null
      ? '(attribute_not_exists(organization.daily_outbound_quota) OR organization.daily_outbound_quota = :quota)'
      : 'organization.daily_outbound_quota = :quota',
  ].join(' AND '),
  values: { ':limit': limit, ':suspended': isSuspended, ':quota': daily_outbound_quota },
});

const findOrganization = async (client: DynamoDb, table: string, orgId: string): Promise<Organization | undefined> =>
  (await findItem(client, table, KEYS.organization(orgId), readOrganization))?.organization;
