import * as z from 'zod';
import { AUDIT_PER_PAGE } from '../../contract/limits.ts';
import { auditRecord } from '../../domain/organizations/audit.ts';
import type { Creation, CreationKey, RecordedStores } from '../../domain/organizations/recorded-changes.ts';
import { type Clock, unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { KEYS } from './configuration-keys.ts';
import { configurationStore, type NamedWrites } from './configuration-store.ts';
import { readAuditRecord } from './stored-configuration.ts';
import { findItem, itemReader, readKey } from './stored-item.ts';

/** Seconds for which an idempotency key is stored. */
const CREATION_SECONDS = 24 * 3600;

/** Reads the creation that is stored under an idempotency key. */
const readCreation = itemReader(
  z.object({ creation: z.object({ fingerprint: z.string(), entity_id: z.string() }), expires_at: z.number() }),
);

const creationKey = ({ orgId, sub, key }: CreationKey) => ({ pk: `creation#${orgId}#${sub}#${key}` });

/**
 * Creates stores of the configuration with an audit trail. The audit record of a change is written in the same transaction. Idempotency
 * keys are in the counters table, where they expire.
 */
export function recordedStores(
  client: DynamoDb,
  tables: { readonly configuration: string; readonly counters: string },
  now: Clock,
): RecordedStores {
  return {
    recorded: (by, creation) =>
      configurationStore(client, tables.configuration, (mutation): NamedWrites => {
        const record = auditRecord(mutation, by, now());
        const key = KEYS.audit(record.org_id, record.at, record.entity_id, record.version);
        const audit = { Put: { TableName: tables.configuration, Item: { ...key, record } } };
        if (creation === undefined) return { audit };
        const seconds = unixSeconds(now());
        const remembered = {
          Put: {
            TableName: tables.counters,
            Item: {
              ...creationKey(creation.key),
              creation: { fingerprint: creation.fingerprint, entity_id: record.entity_id } satisfies Creation,
              expires_at: seconds + CREATION_SECONDS,
            },
            ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
            ExpressionAttributeValues: { ':now': seconds },
          },
        };
        return { audit, creation: remembered };
      }),

    findCreation: async (key) => {
      const found = await findItem(client, tables.counters, creationKey(key), readCreation);
      // DynamoDB may delete expired items late.
      return found !== undefined && found.expires_at > unixSeconds(now()) ? found.creation : undefined;
    },

    auditPage: async (orgId, after) => {
      const { pk } = KEYS.audit(orgId, '', '', 0);
      const { Items, LastEvaluatedKey } = await client.query({
        TableName: tables.configuration,
        ScanIndexForward: false,
        Limit: AUDIT_PER_PAGE,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
      });
      return {
        records: Items.map((item) => readAuditRecord(tables.configuration, item).record),
        next: LastEvaluatedKey === undefined ? undefined : readKey(tables.configuration, LastEvaluatedKey).sk,
      };
    },
  };
}
