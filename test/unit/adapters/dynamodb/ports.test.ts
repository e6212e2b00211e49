import type { DynamoDb, StoredItem } from '../../../../src/adapters/dynamodb/client.ts';
import type { batchedActionReads, configurationReads } from '../../../../src/adapters/dynamodb/configuration-reads.ts';
import type { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import type { members } from '../../../../src/adapters/dynamodb/memberships.ts';
import type { ItemReader } from '../../../../src/adapters/dynamodb/stored-items.ts';
import type { ConfigurationStore, DeliveryLog } from '../../../../src/domain/context.ts';
import type { parseJson } from '../../../../src/domain/parse-json.ts';

type IsAny<T> = 0 extends 1 & T ? true : false;
/** True when a type contains `any`: itself, in a member, in an element, or in the result of a function or promise. */
type HasAny<T, Depth extends readonly unknown[] = []> =
  IsAny<T> extends true
    ? true
    : Depth['length'] extends 7
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
type Ports = {
  readonly client: DynamoDb;
  readonly item: StoredItem;
  readonly reader: ItemReader<{ readonly text: string }>;
  readonly json: typeof parseJson;
  readonly reads: ReturnType<typeof configurationReads>;
  readonly together: ReturnType<typeof batchedActionReads>;
  readonly store: ConfigurationStore;
  readonly audit: ConfigurationStore['auditPage'];
  readonly members: ReturnType<typeof members>;
  readonly conversations: ReturnType<typeof conversations>;
  readonly log: DeliveryLog;
};

test('no port of the storage contains any, and the check finds one that does', () => {
  const seen: readonly [
    HasAny<() => Promise<{ readonly Item?: Record<string, ReturnType<typeof JSON.parse>> }>>,
    HasAny<ReturnType<typeof JSON.parse>[]>,
    HasAny<Ports>,
  ] = [true, true, false];
  expect(seen).toEqual([true, true, false]);
});
