import type { MemberList, Members } from '../../domain/context.ts';
import { noOrganization } from '../../domain/organizations/manage-organizations.ts';
import type { DynamoDb, StoredItem } from './client.ts';
import { ANY, KEYS, notDeleted, readMembership, writeRecorded } from './configuration-items.ts';
import { findItem, itemsWithPrefix, namesUnder, readEach } from './stored-items.ts';

/** Stores memberships in the configuration table. Every read is strongly consistent. */
export function members(client: DynamoDb, table: string): Members {
  const listOf = (items: readonly { readonly org_id: string; readonly item: StoredItem }[]): MemberList => {
    const membershipOf = ({ item }: (typeof items)[number]) => readMembership(table, item).membership;
    const [memberships, unreadable] = readEach(items, membershipOf, ({ org_id }) => ({ org_id }));
    return { memberships, unreadable };
  };

  return {
    findMembership: async (orgId, sub) =>
      (await findItem(client, table, KEYS.member(orgId, sub), readMembership))?.membership,

    subsOf: (orgId) => namesUnder(client, table, KEYS.member(orgId, ANY)),

    list: async (org_id) => {
      const items = await itemsWithPrefix(client, table, KEYS.member(org_id, ANY));
      return listOf(items.map((item) => ({ org_id, item })));
    },

    membershipsOf: async (sub) => {
      const orgIds = await namesUnder(client, table, KEYS.memberOrganization(sub, ANY));
      const memberItems = orgIds.map(async (org_id) => {
        const { Item } = await client.get({ TableName: table, Key: KEYS.member(org_id, sub) });
        return Item === undefined ? [] : [{ org_id, item: Item }];
      });
      return listOf((await Promise.all(memberItems)).flat());
    },

    save: async (membership, record) => {
      const { org_id, sub } = membership;
      // The organization may be deleted between its read and this write, and would leave a membership without it.
      const writes = [
        { ConditionCheck: { TableName: table, Key: KEYS.organization(org_id), ...notDeleted('organization') } },
        { Put: { TableName: table, Item: { ...KEYS.member(org_id, sub), membership } } },
        { Put: { TableName: table, Item: KEYS.memberOrganization(sub, org_id) } },
      ];
      const refusedWrites = await writeRecorded(client, table, writes, record);
      if (refusedWrites.length > 0) throw noOrganization(org_id);
    },

    remove: async (orgId, sub, record) => {
      const keys = [KEYS.member(orgId, sub), KEYS.memberOrganization(sub, orgId)];
      const writes = keys.map((Key) => ({ Delete: { TableName: table, Key } }));
      await writeRecorded(client, table, writes, record);
    },
  };
}
