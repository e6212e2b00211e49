import type { Membership } from '../../contract/organizations.ts';
import type { Members } from '../../domain/context.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, readMembership, SORT_PREFIXES } from './configuration-items.ts';
import { findItem, namesUnder } from './stored-items.ts';

/** Stores memberships in the configuration table. Every read is strongly consistent. */
export function members(client: DynamoDb, table: string): Members {
  const findMembership = async (orgId: string, sub: string): Promise<Membership | undefined> =>
    (await findItem(client, table, KEYS.member(orgId, sub), readMembership))?.membership;
  const names = (pk: string, prefix: string) => namesUnder(client, table, pk, prefix);
  const list = async (orgId: string): Promise<readonly Membership[]> => {
    const subs = await names(KEYS.organization(orgId).pk, SORT_PREFIXES.member);
    const memberships = subs.map((sub) => findMembership(orgId, sub));
    return (await Promise.all(memberships)).filter((membership) => membership !== undefined);
  };

  return {
    findMembership,
    list,

    membershipsOf: async (sub) => {
      const { pk, sk: prefix } = KEYS.memberOrganization(sub, '');
      const memberships = (await names(pk, prefix)).map((orgId) => findMembership(orgId, sub));
      return (await Promise.all(memberships)).filter((membership) => membership !== undefined);
    },

    save: async (membership) => {
      const { org_id, sub } = membership;
      await client.transactWrite({
        TransactItems: [
          { Put: { TableName: table, Item: { ...KEYS.member(org_id, sub), membership } } },
          { Put: { TableName: table, Item: KEYS.memberOrganization(sub, org_id) } },
        ],
      });
    },

    remove: async (orgId, sub) => {
      await client.transactWrite({
        TransactItems: [
          { Delete: { TableName: table, Key: KEYS.member(orgId, sub) } },
          { Delete: { TableName: table, Key: KEYS.memberOrganization(sub, orgId) } },
        ],
      });
    },
  };
}
