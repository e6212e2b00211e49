import type { DynamoDb, StoredItem } from '../../../src/adapters/dynamodb/client.ts';
import type { batchedActionReads, configurationReads } from '../../../src/adapters/dynamodb/configuration-reads.ts';
import type { conversations } from '../../../src/adapters/dynamodb/conversations-table.ts';
import type { members } from '../../../src/adapters/dynamodb/memberships.ts';
import type { ItemReader } from '../../../src/adapters/dynamodb/stored-items.ts';
import type { DeliveryLog } from '../../../src/domain/delivery/delivery-log.ts';
import type { AuditTrail } from '../../../src/domain/organizations/changes.ts';
import type { ConfigurationStore } from '../../../src/domain/organizations/store.ts';
import type { parseJson } from '../../../src/domain/parse-json.ts';

type IsAny<T> = 0 extends 1 & T ? true : false;
/** True when a type contains `any`: itself, in a member, in an element, or in the result of a function or promise. */
type HasAny<T, Depth extends readonly unknown[] = []> =
  IsAny<T> extends true
    ? true
    : Depth['length'] extends 6
      ? false
      : T extends (...parameters: never[]) => infer Answer
        ? HasAny<Answer, [...Depth, 0]>
        : T extends Promise<infer One> | AsyncIterable<infer One> | readonly (infer One)[]
          ? HasAny<One, [...Depth, 0]>
          : T extends object
            ? true extends { [Name in keyof T]-?: HasAny<T[Name], [...Depth, 0]> }[keyof T]
              ? true
              : false
            : false;

/** The compiler refuses a port that contains any. */
const GIVES_ANY: {
  readonly client: HasAny<DynamoDb>;
  readonly item: HasAny<StoredItem>;
  readonly reader: HasAny<ItemReader<{ readonly text: string }>>;
  readonly json: HasAny<typeof parseJson>;
  readonly reads: HasAny<ReturnType<typeof configurationReads>>;
  readonly together: HasAny<ReturnType<typeof batchedActionReads>>;
  readonly store: HasAny<ConfigurationStore>;
  readonly audit: HasAny<AuditTrail['auditPage']>;
  readonly members: HasAny<ReturnType<typeof members>>;
  readonly conversations: HasAny<ReturnType<typeof conversations>>;
  readonly log: HasAny<DeliveryLog>;
} = {
  client: false,
  item: false,
  reader: false,
  json: false,
  reads: false,
  together: false,
  store: false,
  audit: false,
  members: false,
  conversations: false,
  log: false,
};

test('no port of the storage contains any, and the check finds one that does', () => {
  const seen: readonly [
    HasAny<() => Promise<{ readonly Item?: Record<string, ReturnType<typeof JSON.parse>> }>>,
    HasAny<ReturnType<typeof JSON.parse>[]>,
  ] = [true, true];
  expect(seen).toEqual([true, true]);
  expect(new Set(Object.values(GIVES_ANY))).toEqual(new Set([false]));
});
