import * as z from 'zod';
import type { Assistant } from '../../contract/assistants.ts';
import type { DeliveryRecord } from '../../contract/delivery-record.ts';
import type { AuditRecord } from '../../contract/organizations.ts';
import { batchedReads } from './batch-calls.ts';
import type { DynamoDb, StoredItem } from './client.ts';
import { ANY, auditPartition, KEYS, readAuditRecord, writeRecorded } from './configuration-items.ts';
import { conversationKeyPrefix, conversationOf, conversationPartition } from './conversations-table.ts';
import { eraseContent, logPartitions } from './delivery-records.ts';
import { backOff } from './storage-errors.ts';
import { allUnder, findItem, itemReader, itemsWithPrefix, namesUnder, readableOf, readEach } from './stored-items.ts';

const DELETES_AT_ONCE = 25;

type Key = Record<string, unknown>;

const ONE_ASSISTANT_LESS = {
  UpdateExpression: 'ADD assistant_count :less',
  ExpressionAttributeValues: { ':less': -1 },
};
const ONLY_KEYS = { ProjectionExpression: 'pk, sk' };

type AuditItem = ReturnType<typeof readAuditRecord>;

const deletion = z.object({ org_id: z.string(), site_id: z.string().optional(), deleted_at: z.string() });
type Deletion = Readonly<z.infer<typeof deletion>>;
const readDeletion = itemReader(z.object({ deletion }));
/** Deletions are kept in the table of the delivery log, which is never restored, and they do not expire, because a backup may be of any age. */
const deletionKey = ({ org_id, site_id }: Omit<Deletion, 'deleted_at'>) => ({
  pk: 'DELETED',
  // Deletions are listed by the prefix, which DynamoDB does not accept empty.
  sk: `ID#${site_id ?? org_id}`,
});

/**
 * Finds and erases stored data. Every call may be repeated. Erasing calls return the number of erased items; their `step` may throw to end the work.
 * @param unreadable is called with the error of each record of the audit trail, and of each item of a conversation, that cannot be read; the others are read
 */
export function erasure(
  client: DynamoDb,
  tables: Readonly<Record<'configuration' | 'counters' | 'conversations' | 'deliveryLog', string>>,
  unreadable: (cause: Error) => void,
) {
  const eraseKeys = async (table: string, keys: readonly Key[]) => {
    for (let start = 0; start < keys.length; start += DELETES_AT_ONCE) {
      let keysLeft = keys.slice(start, start + DELETES_AT_ONCE);
      for (let attempt = 0; keysLeft.length > 0; attempt++) {
        await backOff(attempt);
        keysLeft = [...(await client.batchDelete(table, keysLeft))];
      }
    }
  };

  const erasePartition = async (table: string, pk: string, step?: (erased: number) => Promise<void>) => {
    let count = 0;
    for await (const { Items } of client.queryPages({ ...allUnder(table, pk), ...ONLY_KEYS })) {
      await eraseKeys(table, Items);
      count += Items.length;
      await step?.(count);
    }
    return count;
  };

  const counterAt = batchedReads(client, tables.counters);

  return {
    logsOfDeletedActions: (orgId: string, siteId: string) =>
      namesUnder(client, tables.configuration, KEYS.logOfDeletedAction(orgId, siteId, ANY)),

    /** Forgets that the log of a deleted Action exists, once it is erased. */
    forgetLog: async (orgId: string, siteId: string, actionId: string) => {
      await client.delete({ TableName: tables.configuration, Key: KEYS.logOfDeletedAction(orgId, siteId, actionId) });
    },

    eraseLog: async (logId: string, step: (erased: number) => Promise<void>) => {
      let count = 0;
      for (const pk of logPartitions(logId)) {
        const before = count;
        count += await erasePartition(tables.deliveryLog, pk, (erased) => step(before + erased));
      }
      return count;
    },

    /** Erases conversations, submissions and calls of a site. Reads the whole table, because no index has them by site. */
    eraseConversations: async (siteId: string, step: (read: number, erased: number) => Promise<void>) => {
      let itemsRead = 0;
      let count = 0;
      const scan = {
        TableName: tables.conversations,
        FilterExpression: 'begins_with(pk, :site)',
        ExpressionAttributeValues: { ':site': conversationKeyPrefix(siteId) },
        ...ONLY_KEYS,
      };
      for await (const { Items, ScannedCount } of client.scanPages(scan)) {
        await eraseKeys(tables.conversations, Items);
        itemsRead += ScannedCount;
        count += Items.length;
        await step(itemsRead, count);
      }
      return count;
    },

    /** Reads the whole conversations table, page by page: the conversation of each item, and how many items were read. */
    conversations: async function* () {
      let itemsRead = 0;
      const scan = { TableName: tables.conversations, ProjectionExpression: 'pk, sk, v, conversation' };
      for await (const { Items, ScannedCount } of client.scanPages(scan)) {
        itemsRead += ScannedCount;
        const items = readableOf(Items, (item) => conversationOf(tables.conversations, item), unreadable);
        yield { items, read: itemsRead };
      }
    },

    eraseConversation: async (siteId: string, conversationId: string) => {
      await erasePartition(tables.conversations, conversationPartition(siteId, conversationId));
    },

    eraseContent: (record: DeliveryRecord, at: { readonly now: Date; readonly endedBefore: Date }) =>
      eraseContent(client, tables.deliveryLog, record, at),

    /** Erases these counters, or only counts those that exist. */
    eraseCounters: async (names: readonly string[], { isDryRun }: { readonly isDryRun: boolean }) => {
      const items = await Promise.all(names.map((pk) => counterAt({ pk })));
      const keys = names.filter((_, index) => items[index] !== undefined).map((pk) => ({ pk }));
      if (!isDryRun) await eraseKeys(tables.counters, keys);
      return keys.length;
    },

    recordDeletion: async (deletion: Deletion) => {
      await client.putItem({ TableName: tables.deliveryLog, Item: { ...deletionKey(deletion), deletion } });
    },

    findDeletion: async (id: string): Promise<Deletion | undefined> =>
      (await findItem(client, tables.deliveryLog, deletionKey({ org_id: id }), readDeletion))?.deletion,

    /** Lists all deletions, and the records that cannot be read. */
    deletions: async () => {
      const items = await itemsWithPrefix(client, tables.deliveryLog, deletionKey({ org_id: '' }));
      const deletionOf = (item: StoredItem) => readDeletion(tables.deliveryLog, item).deletion;
      const [deletions, unreadable] = readEach(items, deletionOf, () => ({}));
      return { deletions, unreadable };
    },

    /** Returns whether the configuration has what was deleted, also where it cannot be read. */
    isStored: async ({ org_id, site_id }: Deletion): Promise<boolean> => {
      const Key = site_id === undefined ? KEYS.organization(org_id) : KEYS.assistant(site_id);
      return (await client.get({ TableName: tables.configuration, Key })).Item !== undefined;
    },

    /** Reads the audit trail of an organization, the oldest record first. */
    auditItems: async function* (orgId: string): AsyncGenerator<AuditItem> {
      const auditItemOf = (item: StoredItem) => readAuditRecord(tables.configuration, item);
      for await (const { Items } of client.queryPages(allUnder(tables.configuration, auditPartition(orgId))))
        yield* readableOf(Items, auditItemOf, unreadable);
    },

    /** Replaces a record of the audit trail by one without a person's ids. Its key may have one of them. */
    replaceAudit: async ({ pk, sk, record }: AuditItem, next: AuditRecord) => {
      const TableName = tables.configuration;
      if (record.entity_id === next.entity_id) await client.putItem({ TableName, Item: { pk, sk, record: next } });
      else await writeRecorded(client, TableName, [{ Delete: { TableName, Key: { pk, sk } } }], next);
    },

    eraseAudit: (orgId: string) => erasePartition(tables.configuration, auditPartition(orgId)),

    /** Deletes an assistant and the items that lead to it, and lowers its organization's count. Does nothing when it is already removed. */
    removeAssistant: async ({ site_id, org_id, domain }: Pick<Assistant, 'site_id' | 'org_id' | 'domain'>) => {
      const TableName = tables.configuration;
      await client.transactWrite([
        { Delete: { TableName, Key: KEYS.assistant(site_id), ConditionExpression: 'attribute_exists(pk)' } },
        { Delete: { TableName, Key: KEYS.organizationSite(org_id, site_id) } },
        ...(domain === '' ? [] : [{ Delete: { TableName, Key: KEYS.domain(domain, site_id) } }]),
        { Update: { TableName, Key: KEYS.organization(org_id), ...ONE_ASSISTANT_LESS } },
      ]);
    },

    eraseSite: (siteId: string) => erasePartition(tables.configuration, KEYS.assistant(siteId).pk),

    /** Erases everything under an organization, its own item last, so that an interrupted run can be repeated. */
    removeOrganization: async (orgId: string) => {
      const own = KEYS.organization(orgId);
      for await (const { Items } of client.queryPages({ ...allUnder(tables.configuration, own.pk), ...ONLY_KEYS })) {
        const others = Items.filter(({ sk }) => sk !== own.sk);
        await eraseKeys(tables.configuration, others);
      }
      await client.delete({ TableName: tables.configuration, Key: own });
    },
  };
}
