import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type {
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { convertToAttr, NumberValueImpl, unmarshall } from '@aws-sdk/util-dynamodb';
import { ConditionFailed, TransactionCancelled } from './storage-errors.ts';

/**
 * The newest version of an item that this code reads. It increases when older code would misread a kind of item (docs/architecture.md,
 * "Rolling back"); only that kind is then put with the new version.
 */
export const ITEM_VERSION = 1;

/** An item from DynamoDB with plain values, before it is validated. */
export type StoredItem = Readonly<Record<string, unknown>>;

type Key = Readonly<Record<string, unknown>>;
type Consistent<Input extends { readonly ConsistentRead?: unknown }> = Omit<Input, 'ConsistentRead'>;
type WireItem = Readonly<Record<string, AttributeValue>>;

/**
 * A write that can share a call: an insert of an item whose key is free, or an update of an existing item, which is made if attributes of
 * it have the values of `when`.
 */
export type BatchedWrite = { readonly insert: Key } | { readonly key: Key; readonly set: Key; readonly when: Key };

type QueryPage = { readonly Items: readonly StoredItem[]; readonly LastEvaluatedKey?: Key };
type ScanPage = QueryPage & { readonly ScannedCount: number };

/**
 * The DynamoDB calls of the adapters, with plain values. Inputs and outputs have the names of AWS's document client. Every read is strongly
 * consistent. Every item that is put has the version of its shape as `v`. Items that are read are not validated here; an itemReader
 * validates them.
 */
export type DynamoDb = {
  readonly get: (input: Consistent<GetCommandInput>) => Promise<{ readonly Item?: StoredItem }>;
  readonly put: (input: PutCommandInput) => Promise<void>;
  readonly update: (input: UpdateCommandInput) => Promise<{ readonly Attributes?: StoredItem }>;
  readonly delete: (input: DeleteCommandInput) => Promise<void>;
  readonly query: (input: Consistent<QueryCommandInput>) => Promise<QueryPage>;
  /** Runs a query and yields all its pages. */
  readonly queryPages: (input: Consistent<QueryCommandInput>) => AsyncGenerator<QueryPage>;
  /** Runs a scan and yields all its pages. */
  readonly scanPages: (input: Consistent<ScanCommandInput>) => AsyncGenerator<ScanPage>;
  /** Deletes at most 25 items. @returns the keys that DynamoDB did not process */
  readonly batchDelete: (table: string, keys: readonly Key[]) => Promise<readonly Key[]>;
  /** Reads at most 100 items of a table, in any order. Items that do not exist are left out. */
  readonly batchGet: (input: {
    readonly TableName: string;
    readonly Keys: readonly Key[];
  }) => Promise<{ readonly Items: readonly StoredItem[]; readonly UnprocessedKeys: readonly Key[] }>;
  /**
   * Makes at most 25 writes of different keys in one call, each independently of the others.
   * @returns for each DynamoDB's error code; undefined when it was made
   */
  readonly writeEach: (table: string, writes: readonly BatchedWrite[]) => Promise<readonly (string | undefined)[]>;
  readonly transactWrite: (input: TransactWriteCommandInput) => Promise<void>;
};

/**
 * Creates the calls of the adapters over AWS's client, which retries failed attempts. This code converts the values, because the
 * document client refuses some that customers may choose (docs/decisions/0004). In addition to the client's errors, a write
 * throws ConditionFailed and a transaction throws TransactionCancelled.
 */
export function dynamoDb(client: DynamoDBClient): DynamoDb {
  const query = async (input: Consistent<QueryCommandInput>) =>
    plainPage(await client.send(new QueryCommand(consistent(input))));
  const scan = async (input: Consistent<ScanCommandInput>) =>
    plainPage(await client.send(new ScanCommand(consistent(input))));
  return {
    get: async (input) => {
      const { Item } = await client.send(new GetItemCommand(consistent(input)));
      return Item === undefined ? {} : { Item: plainItem(Item) };
    },
    put: async (input) => {
      const Item = marshalled({ v: ITEM_VERSION, ...input.Item });
      await client.send(new PutItemCommand({ ...wire(input), Item })).catch(conditionFailed);
    },
    update: async (input) => {
      const { Attributes } = await client.send(new UpdateItemCommand(wire(input))).catch(conditionFailed);
      return Attributes === undefined ? {} : { Attributes: plainItem(Attributes) };
    },
    delete: async (input) => {
      await client.send(new DeleteItemCommand(wire(input))).catch(conditionFailed);
    },
    query,
    queryPages: (input) => pages(query, input),
    scanPages: (input) => pages(scan, input),
    batchDelete: async (table, keys) => {
      const requests = keys.map((key) => ({ DeleteRequest: { Key: marshalled(key) } }));
      const { UnprocessedItems } = await client.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
      );
      return (UnprocessedItems?.[table] ?? []).map(({ DeleteRequest }) => unmarshall(DeleteRequest?.Key ?? {}));
    },
    batchGet: async ({ TableName, Keys }) => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({
          RequestItems: { [TableName]: { Keys: Keys.map(marshalled), ConsistentRead: true } },
        }),
      );
      return {
        Items: (Responses?.[TableName] ?? []).map((item) => plainItem(item)),
        UnprocessedKeys: (UnprocessedKeys?.[TableName]?.Keys ?? []).map((key) => unmarshall(key)),
      };
    },
    writeEach: async (table, writes) => {
      const Statements = writes.map((write) => statementOf(table, write));
      const { Responses = [] } = await client.send(new BatchExecuteStatementCommand({ Statements }));
      return writes.map((_, index) => {
        const { Error: error } = Responses[index] ?? { Error: {} };
        return error && String(error.Code);
      });
    },
    transactWrite: async ({ TransactItems = [], ...input }) => {
      const writes = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => ({
        ...(Put && { Put: { ...wire(Put), Item: marshalled({ v: ITEM_VERSION, ...Put.Item }) } }),
        ...(Update && { Update: wire(Update) }),
        ...(Delete && { Delete: wire(Delete) }),
        ...(ConditionCheck && { ConditionCheck: wire(ConditionCheck) }),
      }));
      // The client adds a token, so that a transaction which is sent again after a lost response takes effect once.
      await client.send(new TransactWriteItemsCommand({ ...input, TransactItems: writes })).catch((error: unknown) => {
        if (!(error instanceof TransactionCanceledException)) throw error;
        throw new TransactionCancelled((error.CancellationReasons ?? []).map(({ Code }) => String(Code)));
      });
    },
  };
}

/** Replaces the client's error, because a logger would write out the item in it. */
function conditionFailed(error: unknown): never {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  throw new ConditionFailed(error.Item === undefined ? {} : plainItem(error.Item));
}

/** Returns a write in PartiQL. The text has no values, only a question mark for each. */
function statementOf(table: string, write: BatchedWrite) {
  if ('insert' in write) {
    const item = Object.entries(marshalled({ v: ITEM_VERSION, ...write.insert }));
    const Statement = `INSERT INTO "${table}" VALUE {${item.map(([name]) => `'${name}': ?`).join(', ')}}`;
    return { Statement, Parameters: item.map(([, value]) => value) };
  }
  const set = Object.entries(marshalled(write.set));
  const when = [...Object.entries(marshalled(write.key)), ...Object.entries(marshalled(write.when))];
  const equal = ([name]: readonly [string, unknown]) => `"${name}" = ?`;
  return {
    Statement: `UPDATE "${table}" SET ${set.map(equal).join(', ')} WHERE ${when.map(equal).join(' AND ')}`,
    Parameters: [...set, ...when].map(([, value]) => value),
  };
}

async function* pages<Input extends object, Output extends QueryPage>(
  read: (input: Input & { ExclusiveStartKey?: Key | undefined }) => Promise<Output>,
  input: Input,
): AsyncGenerator<Output> {
  let from: Key | undefined;
  do {
    const page = await read({ ...input, ExclusiveStartKey: from });
    yield page;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

const consistent = <Input extends object>(input: Input) => ({ ...wire(input), ConsistentRead: true });

/** Converts the members of an input that DynamoDB expects as attribute values. */
function wire<
  Input extends {
    readonly Key?: Key | undefined;
    readonly ExpressionAttributeValues?: Key | undefined;
    readonly ExclusiveStartKey?: Key | undefined;
  },
>(input: Input) {
  const { Key, ExpressionAttributeValues, ExclusiveStartKey } = input;
  return {
    ...input,
    Key: Key && marshalled(Key),
    ExpressionAttributeValues: ExpressionAttributeValues && marshalled(ExpressionAttributeValues),
    ExclusiveStartKey: ExclusiveStartKey && marshalled(ExclusiveStartKey),
  };
}

function marshalled(values: Key): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, attributeValue(value)]])),
  );
}

/** Converts a value. The library cannot convert an object, because it reads `constructor`, which may be the name of a value. */
function attributeValue(value: unknown): AttributeValue {
  if (Array.isArray(value)) return { L: value.map(attributeValue) };
  return isPlainObject(value) ? { M: marshalled(value) } : convertToAttr(value);
}

function isPlainObject(value: unknown): value is Key {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type WirePage = {
  readonly Items?: readonly WireItem[];
  readonly LastEvaluatedKey?: WireItem;
  readonly ScannedCount?: number;
};

function plainPage({ Items = [], LastEvaluatedKey, ScannedCount = 0 }: WirePage): ScanPage {
  return {
    Items: Items.map((item) => plainItem(item)),
    ...(LastEvaluatedKey === undefined ? {} : { LastEvaluatedKey: unmarshall(LastEvaluatedKey) }),
    ScannedCount,
  };
}

/** Converts an item. A number that JavaScript cannot represent keeps its text: no schema accepts it, and a field that is not read is kept. */
function plainItem(item: WireItem): StoredItem {
  return unmarshall(item, {
    wrapNumbers: (text) =>
      Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? Number(text) : NumberValueImpl.from(text),
  });
}
