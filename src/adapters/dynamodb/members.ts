import { type DynamoDBDocumentClient, GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Membership } from '../../contract/members.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';

/** Who belongs to which organization, in the configuration table. Every read is strongly consistent. */
export function members(client: DynamoDBDocumentClient, table: string) {
  const findMembership = async (orgId: string, sub: string): Promise<Membership | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: KEYS.member(orgId, sub), ConsistentRead: true }),
    );
    return Item?.membership;
  };
  const query = async (pk: string, prefix: string) => {
    const items: Record<string, unknown>[] = [];
    let next: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: table,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
          ExclusiveStartKey: next,
        }),
      );
      items.push(...(page.Items ?? []));
      next = page.LastEvaluatedKey;
    } while (next !== undefined);
    return items;
  };
  const list = async (orgId: string): Promise<readonly Membership[]> => {
    const page = await query(KEYS.organization(orgId).pk, SORT_PREFIXES.member);
    const memberships = page.map(({ sk }) => findMembership(orgId, String(sk).slice(SORT_PREFIXES.member.length)));
    return (await Promise.all(memberships)).filter((membership) => membership !== undefined);
  };

  return {
    findMembership,
    list,

    /** The memberships of a login. */
    membershipsOf: async (sub: string): Promise<readonly Membership[]> => {
      const prefix = KEYS.memberOrganization(sub, '').sk;
      const pointers = await query(KEYS.memberOrganization(sub, '').pk, prefix);
      const memberships = pointers.map(({ sk }) => findMembership(String(sk).slice(prefix.length), sub));
      return (await Promise.all(memberships)).filter((membership) => membership !== undefined);
    },

    save: async (membership: Membership): Promise<void> => {
      const { org_id, sub } = membership;
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName: table, Item: { ...KEYS.member(org_id, sub), membership } } },
            { Put: { TableName: table, Item: KEYS.memberOrganization(sub, org_id) } },
          ],
        }),
      );
    },

    remove: async (orgId: string, sub: string): Promise<void> => {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Delete: { TableName: table, Key: KEYS.member(orgId, sub) } },
            { Delete: { TableName: table, Key: KEYS.memberOrganization(sub, orgId) } },
          ],
        }),
      );
    },
  };
}
