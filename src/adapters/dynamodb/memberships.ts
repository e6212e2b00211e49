import type { AuditRecord, Membership } from '../../contract/organizations.ts';
import type { Members } from '../../domain/context.ts';
import { noOrganization } from '../../domain/organizations/manage-organizations.ts';
import type { DynamoDb } from './client.ts';
import { auditPut, KEYS, notDeleted, readMembership } from './configuration-items.ts';
import { findItem, namesUnder } from './stored-items.ts';

/** Stores memberships in the configuration table. Every read is strongly consistent. */
export function members(client: DynamoDb, table: string): Members {
  const findMembership = async (orgId: string, sub: string): Promise<Membership | undefined> =>
    (await findItem(client, table, KEYS.member(orgId, sub), readMembership))?.membership;
  const subsOf = (orgId: string) => namesUnder(client, table, KEYS.member(orgId, ''));
  const auditWrites = (record: AuditRecord | undefined) => (record === undefined ? [] : [auditPut(table, record)]);
  const present = async (memberships: readonly Promise<Membership | undefined>[]): Promise<readonly Membership[]> =>
    (await Promise.all(memberships)).filter((membership) => membership !== undefined);

  return {
    findMembership,

    subsOf,

    list: async (orgId) => {
      const subs = await subsOf(orgId);
      return present(subs.map((sub) => findMembership(orgId, sub)));
    },

    membershipsOf: async (sub) => {
      const orgIds = await namesUnder(client, table, KEYS.memberOrganization(sub, ''));
      return present(orgIds.map((orgId) => findMembership(orgId, sub)));
    },

    save: async (membership, record) => {
      const { org_id, sub } = membership;
      // The organization may be deleted between its read and this write, and would leave a membership without it.
      const failed = await client.transactWrite([
        { ConditionCheck: { TableName: table, Key: KEYS.organization(org_id), ...notDeleted('organization') } },
        { Put: { TableName: table, Item: { ...KEYS.member(org_id, sub), membership } } },
        { Put: { TableName: table, Item: KEYS.memberOrganization(sub, org_id) } },
        ...auditWrites(record),
      ]);
      if (failed.length > 0) throw noOrganization(org_id);
    },

    remove: async (orgId, sub, record) => {
      await client.transactWrite([
        { Delete: { TableName: table, Key: KEYS.member(orgId, sub) } },
        { Delete: { TableName: table, Key: KEYS.memberOrganization(sub, orgId) } },
        ...auditWrites(record),
      ]);
    },
  };
}
