import { isDeepStrictEqual } from 'node:util';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Organization, OrganizationRestrictions } from '../../contract/organizations.ts';
import type { Mutation } from '../../domain/organizations/audit.ts';
import { CreationTaken } from '../../domain/organizations/recorded-changes.ts';
import { restrictionsOf } from '../../domain/organizations/restrictions.ts';
import type { DynamoDb } from './client.ts';
import { transactionFailures } from './conditions.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction, by name. A name may have any number of writes. */
export type NamedWrites = Readonly<Record<string, TransactItem | readonly TransactItem[]>>;

export type ConfigurationTransaction = ReturnType<typeof configurationTransaction>;

/** The condition of a put that must not replace an item. */
export const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * Creates the parts of a change of the configuration: its writes, and the transaction that makes them.
 * @param alongside returns further writes for the transaction: the audit record, and the idempotency key as `creation`
 */
export function configurationTransaction(
  client: DynamoDb,
  table: string,
  alongside: (mutation: Mutation) => NamedWrites,
) {
  const put = (
    item: Record<string, unknown>,
    condition: Omit<TransactItem['Put'] & object, 'TableName' | 'Item'> = {},
  ) => ({
    Put: { TableName: table, Item: item, ...condition },
  });
  const remove = (key: Record<string, string>) => ({ Delete: { TableName: table, Key: key } });
  /** @returns the names of the writes whose conditions did not hold @throws CreationTaken */
  const transact = async (mutation: Mutation, writes: NamedWrites): Promise<readonly string[]> => {
    const all = Object.entries({ ...writes, ...alongside(mutation) }).flatMap(([name, items]) =>
      [items].flat().map((item) => ({ name, item })),
    );
    const TransactItems = all.map(({ item }) => item);
    const positions = await transactionFailures(() => client.transactWrite({ TransactItems }));
    const failed = positions.flatMap((position) => all[position]?.name ?? []);
    if (failed.includes('creation')) throw new CreationTaken();
    return failed;
  };

  const atVersion = (entity: 'assistant' | 'action', version: number) => ({
    ConditionExpression: '#entity.#version = :version',
    ExpressionAttributeNames: { '#entity': entity, '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  });
  /** Replaces the version of an entity that was read. Other attributes of its item are kept. */
  const replace = (
    key: Record<string, string>,
    entity: 'assistant' | 'action',
    next: Record<string, unknown>,
    version: number,
  ) => {
    const { ExpressionAttributeValues, ...condition } = atVersion(entity, version);
    return {
      Update: {
        TableName: table,
        Key: key,
        UpdateExpression: 'SET #entity = :next',
        ...condition,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':next': next },
      },
    };
  };

  return { put, remove, replace, atVersion, transact };
}

/** Checks that the organization exists and has the same restrictions as the item in the same transaction. */
export const sameRestrictions = ({ suspended = false, daily_outbound_quota = null }: OrganizationRestrictions) => ({
  expression: [
    'attribute_exists(pk)',
    suspended
      ? 'organization.suspended = :suspended'
      : '(attribute_not_exists(organization.suspended) OR organization.suspended = :suspended)',
    daily_outbound_quota === null
      ? '(attribute_not_exists(organization.daily_outbound_quota) OR organization.daily_outbound_quota = :quota)'
      : 'organization.daily_outbound_quota = :quota',
  ].join(' AND '),
  values: { ':suspended': suspended, ':quota': daily_outbound_quota },
});

export const hasRestrictionsOf = (part: OrganizationRestrictions, organization: Organization) =>
  isDeepStrictEqual(restrictionsOf(organization), restrictionsOf(part));
