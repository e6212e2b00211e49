import type { Membership } from '../../contract/members.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { namesUnder } from './item-reads.ts';
import { readMembership } from './stored-configuration.ts';
import { findItem } from './stored-item.ts';

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
