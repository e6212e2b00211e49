import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  PutCommand,
  type PutCommandInput,
  paginateQuery,
  paginateScan,
  QueryCommand,
  type QueryCommandInput,
  type ScanCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { NumberValueImpl, unmarshall } from '@aws-sdk/util-dynamodb';
import { ConditionFailed, transactionFailures } from './storage-errors.ts';

/** The version of an item that names none when it is put. It stays as it is: older code goes on reading the kinds of items that do not change. */
export const FIRST_VERSION = 1;

/** An item from DynamoDB with plain values, before it is validated. */
export type StoredItem = Readonly<Record<string, unknown>>;

type Key = Readonly<Record<string, unknown>>;
type Consistent<Input extends { readonly ConsistentRead?: unknown }> = Omit<Input, 'ConsistentRead'>;

/** A write that can share a call: an insert under a free key, or an update of an item that has these `expectedValues`. */
export type BatchedWrite =
  | { readonly insert: Key }
  | { readonly key: Key; readonly changes: Key; readonly expectedValues: Key };

type QueryPage = { readonly Items: readonly StoredItem[]; readonly LastEvaluatedKey?: Key | undefined };
type ScanPage = QueryPage & { readonly ScannedCount: number };

/**
 * The DynamoDB calls of the adapters, with plain values. Inputs and outputs have the names of AWS's document client. Every read is strongly
 * consistent. Every item that is put has the version of its shape as `v` (FIRST_VERSION, unless it names a later one). Items that are read are not validated here; an itemReader
 * validates them.
 */
export type DynamoDb = {
  readonly get: (input: Consistent<GetCommandInput>) => Promise<{ readonly Item?: StoredItem | undefined }>;
  readonly putItem: (input: PutCommandInput) => Promise<void>;
  readonly update: (input: UpdateCommandInput) => Promise<{ readonly Attributes?: StoredItem | undefined }>;
  readonly delete: (input: DeleteCommandInput) => Promise<void>;
  readonly query: (input: Consistent<QueryCommandInput>) => Promise<QueryPage>;
  readonly queryPages: (input: Consistent<QueryCommandInput>) => AsyncGenerator<QueryPage>;
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
   * @returns for each undefined when it was made; otherwise DynamoDB's error code, or `NoAnswer` when DynamoDB says nothing of it
   */
  readonly writeEach: (table: string, writes: readonly BatchedWrite[]) => Promise<readonly (string | undefined)[]>;
  /** Makes all writes or none, and adds the version to each Put. @returns the positions of the writes whose conditions did not hold; none when they were made */
  readonly transactWrite: (
    items: NonNullable<TransactWriteCommandInput['TransactItems']>,
  ) => Promise<readonly number[]>;
};

/** Keeps the text of a number beyond the safe integers: no schema accepts it, and a field that is not read is kept. */
const wrapNumbers = (text: string) =>
  Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? Number(text) : NumberValueImpl.from(text);

/** Makes the calls over AWS's document client, which retries. Besides its errors, a write throws ConditionFailed. */
export function dynamoDb(client: DynamoDBClient): DynamoDb {
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers },
  });
  return {
    get: async (input) => {
      const { Item } = await documents.send(new GetCommand(consistent(input)));
      return { Item };
    },
    putItem: async (input) => {
      await documents.send(new PutCommand({ ...input, Item: versionedItem(input.Item) })).catch(conditionFailed);
    },
    update: async (input) => {
      const { Attributes } = await documents.send(new UpdateCommand(input)).catch(conditionFailed);
      return { Attributes };
    },
    delete: async (input) => {
      await documents.send(new DeleteCommand(input)).catch(conditionFailed);
    },
    query: async (input) => page(await documents.send(new QueryCommand(consistent(input)))),
    queryPages: async function* (input) {
      for await (const foundPage of paginateQuery({ client: documents }, consistent(input))) yield page(foundPage);
    },
    scanPages: async function* (input) {
      for await (const foundPage of paginateScan({ client: documents }, consistent(input))) yield page(foundPage);
    },
    batchDelete: async (table, keys) => {
      const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
      const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
      return (UnprocessedItems?.[table] ?? []).map(({ DeleteRequest }) => DeleteRequest?.Key ?? {});
    },
    batchGet: async ({ TableName, Keys }) => {
      const RequestItems = { [TableName]: { Keys: [...Keys], ConsistentRead: true } };
      const { Responses, UnprocessedKeys } = await documents.send(new BatchGetCommand({ RequestItems }));
      return { Items: Responses?.[TableName] ?? [], UnprocessedKeys: UnprocessedKeys?.[TableName]?.Keys ?? [] };
    },
    writeEach: async (table, writes) => {
      const Statements = writes.map((write) => statementOf(table, write));
      const { Responses = [] } = await documents.send(new BatchExecuteStatementCommand({ Statements }));
      return writes.map((_, index) => {
        const answer = Responses[index];
        if (answer === undefined) return 'NoAnswer';
        return answer.Error && String(answer.Error.Code);
      });
    },
    transactWrite: (items) => {
      const TransactItems = items.map((write) =>
        write.Put ? { Put: { ...write.Put, Item: versionedItem(write.Put.Item) } } : write,
      );
      // The client adds a token to each command, so that one which it sends again after a lost response takes effect once. Whether a token
      // may be used again after a cancelled transaction is not documented, so each command is new.
      return transactionFailures(() => documents.send(new TransactWriteCommand({ TransactItems })));
    },
  };
}

const consistent = <Input extends object>(input: Input) => ({ ...input, ConsistentRead: true });

const versionedItem = (item: Key | undefined): Record<string, unknown> => ({ v: FIRST_VERSION, ...item });

const page = ({ Items = [], LastEvaluatedKey, ScannedCount = 0 }: Partial<ScanPage>): ScanPage => ({
  Items,
  LastEvaluatedKey,
  ScannedCount,
});

/** Replaces the client's error, because a logger would write out the item in it. The document client does not convert this item. */
function conditionFailed(error: unknown): never {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  throw new ConditionFailed(error.Item && unmarshall(error.Item, { wrapNumbers }));
}

/** Returns a write in PartiQL. The text has no values, only a question mark for each. */
function statementOf(table: string, write: BatchedWrite) {
  if ('insert' in write) {
    const item = present(versionedItem(write.insert));
    const Statement = `INSERT INTO "${table}" VALUE {${item.map(([name]) => `'${name}': ?`).join(', ')}}`;
    return { Statement, Parameters: item.map(([, value]) => value) };
  }
  const changes = present(write.changes);
  const conditions = [...present(write.key), ...present(write.expectedValues)];
  const equal = ([name]: readonly [string, unknown]) => `"${name}" = ?`;
  return {
    Statement: `UPDATE "${table}" SET ${changes.map(equal).join(', ')} WHERE ${conditions.map(equal).join(' AND ')}`,
    Parameters: [...changes, ...conditions].map(([, value]) => value),
  };
}

/** Drops attributes without a value, for which PartiQL has no notation. */
const present = (values: Key) => Object.entries(values).filter(([, value]) => value !== undefined);
