import type { AuditRecord } from '../../contract/members.ts';
import type { Erasure } from '../../domain/operations/erase.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { conversationKeyPrefix, conversationOf, conversationPartition } from './conversations.ts';
import { eraseContent } from './delivery-log.ts';
import { ITEMS_AT_ONCE, itemsOf, namesUnder } from './item-reads.ts';
import { logPartitions } from './log-partitions.ts';
import { backOff } from './throttling.ts';

/** Limit of items in one BatchWriteItem. */
const BATCH = 25;

type Key = Record<string, unknown>;

/** Erases the data of an assistant or an organization from the tables. */
export function erasure(
  client: DynamoDb,
  tables: Readonly<Record<'configuration' | 'counters' | 'conversations' | 'deliveryLog', string>>,
): Erasure {
  const eraseKeys = async (table: string, keys: readonly Key[]) => {
    for (let start = 0; start < keys.length; start += BATCH) {
      let left = keys.slice(start, start + BATCH);
      for (let attempt = 0; left.length > 0; attempt++) {
        await backOff(attempt);
        left = [...(await client.batchDelete(table, left))];
      }
    }
  };

  const erasePartition = async (table: string, pk: string, step: (erased: number) => Promise<void>) => {
    let count = 0;
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'pk, sk',
    };
    for await (const { Items } of client.queryPages(query)) {
      await eraseKeys(table, Items);
      count += Items.length;
      await step(count);
    }
    return count;
  };

  const removeAll = async (keys: readonly Record<string, string>[]) => {
    const TransactItems = keys.map((Key) => ({ Delete: { TableName: tables.configuration, Key } }));
    await client.transactWrite({ TransactItems });
  };

  const existingCounters = async (keys: readonly string[]): Promise<readonly Key[]> => {
    const existing: Key[] = [];
    for (let start = 0; start < keys.length; start += ITEMS_AT_ONCE) {
      const asked = keys.slice(start, start + ITEMS_AT_ONCE).map((pk) => ({ pk }));
      const items = await Promise.all(itemsOf(client, tables.counters, asked));
      existing.push(...asked.filter((_, index) => items[index] !== undefined));
    }
    return existing;
  };

  return {
    logsOfDeletedActions: async (orgId, siteId) => {
      const { pk, sk } = KEYS.logOfDeletedAction(orgId, siteId, '');
      return namesUnder(client, tables.configuration, pk, sk);
    },

    forgetLog: async (orgId, siteId, actionId) => {
      await client.delete({ TableName: tables.configuration, Key: KEYS.logOfDeletedAction(orgId, siteId, actionId) });
    },

    eraseLog: async (logId, step) => {
      let count = 0;
      for (const pk of logPartitions(logId)) {
        const before = count;
        count += await erasePartition(tables.deliveryLog, pk, (erased) => step(before + erased));
      }
      return count;
    },

    eraseConversations: async (siteId, step) => {
      let read = 0;
      let count = 0;
      const scan = {
        TableName: tables.conversations,
        FilterExpression: 'begins_with(pk, :site)',
        ExpressionAttributeValues: { ':site': conversationKeyPrefix(siteId) },
        ProjectionExpression: 'pk, sk',
      };
      for await (const { Items, ScannedCount } of client.scanPages(scan)) {
        await eraseKeys(tables.conversations, Items);
        read += ScannedCount;
        count += Items.length;
        await step(read, count);
      }
      return count;
    },

    conversations: async function* () {
      let read = 0;
      const scan = {
        TableName: tables.conversations,
        ProjectionExpression: 'pk, sk, v, conversation',
      };
      for await (const { Items, ScannedCount } of client.scanPages(scan)) {
        read += ScannedCount;
        yield { items: Items.map((item) => conversationOf(tables.conversations, item)), read };
      }
    },

    eraseConversation: async (siteId, conversationId) => {
      const pk = conversationPartition(siteId, conversationId);
      await erasePartition(tables.conversations, pk, async () => undefined);
    },

    eraseContent: (record, at) => eraseContent(client, tables.deliveryLog, record, at),

    countCounters: async (keys) => (await existingCounters(keys)).length,

    eraseCounters: async (keys) => {
      const existing = await existingCounters(keys);
      await eraseKeys(tables.counters, existing);
      return existing.length;
    },

    recordErasure: async (orgId, at) => {
      const record: AuditRecord = {
        org_id: orgId,
        at: at.toISOString(),
        by: { sub: 'operator', email: 'operator' },
        operation: 'erase_person',
        site_id: '',
        entity_id: orgId,
        version: 1,
        fields: [],
      };
      await client.put({
        TableName: tables.configuration,
        Item: { ...KEYS.audit(orgId, record.at, orgId, record.version), record },
      });
    },

    eraseAudit: (orgId) => erasePartition(tables.configuration, KEYS.audit(orgId, '', '', 0).pk, async () => undefined),

    removeAssistant: ({ site_id, org_id, domain }) =>
      removeAll([
        KEYS.assistant(site_id),
        KEYS.organizationSite(org_id, site_id),
        ...(domain === '' ? [] : [KEYS.domain(domain, site_id)]),
      ]),

    removeOrganization: (orgId) => removeAll([KEYS.organization(orgId)]),
  };
}
