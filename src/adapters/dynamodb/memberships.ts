import type { Membership } from '../../contract/organizations.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, readMembership, SORT_PREFIXES } from './configuration-items.ts';
import { findItem, namesUnder } from './stored-items.ts';

/** Stores memberships in the configuration table. Every read is strongly consistent. */
export function members(client: DynamoDb, table: string) {
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

    /** Lists the memberships of a login. */
    membershipsOf: async (sub: string): Promise<readonly Membership[]> => {
      const { pk, sk: prefix } = KEYS.memberOrganization(sub, '');
      const memberships = (await names(pk, prefix)).map((orgId) => findMembership(orgId, sub));
      return (await Promise.all(memberships)).filter((membership) => membership !== undefined);
    },

    save: async (membership: Membership): Promise<void> => {
      const { org_id, sub } = membership;
      await client.transactWrite({
        TransactItems: [
          { Put: { TableName: table, Item: { ...KEYS.member(org_id, sub), membership } } },
          { Put: { TableName: table, Item: KEYS.memberOrganization(sub, org_id) } },
        ],
      });
    },

    remove: async (orgId: string, sub: string): Promise<void> => {
      await client.transactWrite({
        TransactItems: [
          { Delete: { TableName: table, Key: KEYS.member(orgId, sub) } },
          { Delete: { TableName: table, Key: KEYS.memberOrganization(sub, orgId) } },
        ],
      });
    },
  };
}
