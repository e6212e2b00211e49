import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationStore } from '../../domain/organizations/store.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure } from './conditions.ts';
import { KEYS } from './configuration-keys.ts';
import { ABSENT } from './configuration-transaction.ts';
import { readOrganization } from './stored-configuration.ts';
import { findItem } from './stored-item.ts';

type Calls = 'createOrganization' | 'changeOrganization' | 'findOrganization' | 'listOrganizations';

/** Creates the part of the configuration store that keeps organizations. */
export function organizationStore(client: DynamoDb, table: string): Pick<ConfigurationStore, Calls> {
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
