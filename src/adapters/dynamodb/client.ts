import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type {
  DeleteCommandInput,
  GetCommandInput,
  PutCommandInput,
  QueryCommandInput,
  ScanCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall, NumberValueImpl, unmarshall } from '@aws-sdk/util-dynamodb';
import type { AwsAccess } from '../aws/access.ts';
import { type JsonApi, type JsonServiceOptions, jsonService } from '../aws/json-service.ts';
import { isServiceError } from '../aws/service-error.ts';
import { ConditionFailed, TransactionCancelled } from './conditions.ts';
import { ITEM_VERSION } from './item-version.ts';
import type { StoredItem } from './stored-item.ts';

type Key = Readonly<Record<string, unknown>>;
type WireItem = Readonly<Record<string, AttributeValue>>;

type QueryPage = { readonly Items: readonly StoredItem[]; readonly LastEvaluatedKey?: Key };
type ScanPage = QueryPage & { readonly ScannedCount: number };

/**
 * The calls that the adapters make, with plain values. What goes in and comes out is named as in AWS's document client. Every item that
 * is put carries the version of its shape as `v`. What comes out is not checked: an item is read through an itemReader.
 */
export type DynamoDb = {
  readonly get: (input: GetCommandInput) => Promise<{ readonly Item?: StoredItem }>;
  readonly put: (input: PutCommandInput) => Promise<void>;
  readonly update: (input: UpdateCommandInput) => Promise<{ readonly Attributes?: StoredItem }>;
  readonly delete: (input: DeleteCommandInput) => Promise<void>;
  readonly query: (input: QueryCommandInput) => Promise<QueryPage>;
  /** A query from its first page to its last. */
  readonly queryPages: (input: QueryCommandInput) => AsyncGenerator<QueryPage>;
  /** A scan from its first page to its last. */
  readonly scanPages: (input: ScanCommandInput) => AsyncGenerator<ScanPage>;
  /** Deletes 25 items at most. @returns the keys that DynamoDB did not get to */
  readonly batchDelete: (table: string, keys: readonly Key[]) => Promise<readonly Key[]>;
  /** Reads 100 items of a table at most, in no order; what does not exist is left out. */
  readonly batchGet: (input: {
    readonly TableName: string;
    readonly Keys: readonly Key[];
    readonly ConsistentRead: boolean;
  }) => Promise<{ readonly Items: readonly StoredItem[]; readonly UnprocessedKeys: readonly Key[] }>;
  readonly transactWrite: (input: TransactWriteCommandInput) => Promise<void>;
};

type WirePage = { Items?: readonly WireItem[]; LastEvaluatedKey?: WireItem; ScannedCount?: number };
type Unprocessed = Readonly<Record<string, readonly { readonly DeleteRequest: { readonly Key: WireItem } }[]>>;
type WireOperations = {
  GetItem: { input: object; output: { Item?: WireItem } };
  PutItem: { input: object; output: object };
  UpdateItem: { input: object; output: { Attributes?: WireItem } };
  DeleteItem: { input: object; output: object };
  Query: { input: object; output: WirePage };
  Scan: { input: object; output: WirePage };
  BatchGetItem: {
    input: object;
    output: {
      Responses?: Readonly<Record<string, readonly WireItem[]>>;
      UnprocessedKeys?: Readonly<Record<string, { readonly Keys?: readonly WireItem[] }>>;
    };
  };
  BatchWriteItem: { input: object; output: { UnprocessedItems?: Unprocessed } };
  TransactWriteItems: { input: object; output: object };
};

const API: JsonApi = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  endpointVariable: 'DYNAMODB',
  stringify: (input) => JSON.stringify(input, binaryAsText),
  // A reviver costs more than the rest of parsing.
  parse: (text) => JSON.parse(text, /"B":\s*"/.test(text) ? textAsBinary : undefined),
};

/**
 * One client per container. An attempt has two seconds: one that takes longer than the request's own patience is worth less than
 * its repetition. Beside the errors of a JsonService, a write throws ConditionFailed, a transaction TransactionCancelled.
 */
export function dynamoDb(access: AwsAccess = {}, options: Partial<JsonServiceOptions> = {}): DynamoDb {
  const call = jsonService<WireOperations>(API, access, { timeoutMs: 2000, ...options });
  const query = async (input: QueryCommandInput) => plainPage(await call('Query', wire(input)));
  const scan = async (input: ScanCommandInput) => plainPage(await call('Scan', wire(input)));
  const write = <Name extends 'PutItem' | 'UpdateItem' | 'DeleteItem'>(
    name: Name,
    input: PutCommandInput | UpdateCommandInput | DeleteCommandInput,
  ) =>
    call(name, wire(input)).catch((error: unknown) => {
      if (!isServiceError(error, 'ConditionalCheckFailedException')) throw error;
      const { Item } = error.details;
      throw new ConditionFailed(isWireItem(Item) ? plainItem(Item) : {});
    });
  return {
    get: async (input) => {
      const { Item } = await call('GetItem', wire(input));
      return Item === undefined ? {} : { Item: plainItem(Item) };
    },
    put: async (input) => {
      await write('PutItem', { ...input, Item: versioned(input.Item) });
    },
    update: async (input) => {
      const { Attributes } = await write('UpdateItem', input);
      return Attributes === undefined ? {} : { Attributes: plainItem(Attributes) };
    },
    delete: async (input) => {
      await write('DeleteItem', input);
    },
    query,
    queryPages: (input) => pages(query, input),
    scanPages: (input) => pages(scan, input),
    batchDelete: async (table, keys) => {
      const requests = keys.map((Key) => ({ DeleteRequest: wire({ Key }) }));
      const { UnprocessedItems = {} } = await call('BatchWriteItem', { RequestItems: { [table]: requests } });
      return (UnprocessedItems[table] ?? []).map(({ DeleteRequest }) => unmarshall(DeleteRequest.Key));
    },
    batchGet: async ({ TableName, Keys, ConsistentRead }) => {
      const keys = Keys.map((key) => marshalled(key));
      const { Responses = {}, UnprocessedKeys = {} } = await call('BatchGetItem', {
        RequestItems: { [TableName]: { Keys: keys, ConsistentRead } },
      });
      return {
        Items: (Responses[TableName] ?? []).map((item) => plainItem(item)),
        UnprocessedKeys: (UnprocessedKeys[TableName]?.Keys ?? []).map((key) => unmarshall(key)),
      };
    },
    transactWrite: async ({ TransactItems = [], ...input }) => {
      const writes = TransactItems.map(({ Put, ...others }) =>
        Put === undefined
          ? Object.fromEntries(Object.entries(others).map(([kind, other]) => [kind, wire(other)]))
          : { Put: wire({ ...Put, Item: versioned(Put.Item) }) },
      );
      // By the token a transaction that is sent again, because its answer got lost, is made once.
      await call('TransactWriteItems', { ClientRequestToken: randomUUID(), ...input, TransactItems: writes }).catch(
        (error: unknown) => {
          if (!isServiceError(error, 'TransactionCanceledException')) throw error;
          const { CancellationReasons: reasons } = error.details;
          throw new TransactionCancelled(Array.isArray(reasons) ? reasons.map(({ Code }) => String(Code)) : []);
        },
      );
    },
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

/** @param input of which DynamoDB wants these members in its own form */
function wire(input: {
  readonly Key?: Key | undefined;
  readonly Item?: Key | undefined;
  readonly ExpressionAttributeValues?: Key | undefined;
  readonly ExclusiveStartKey?: Key | undefined;
}): object {
  return {
    ...input,
    Key: marshalled(input.Key),
    Item: marshalled(input.Item),
    ExpressionAttributeValues: marshalled(input.ExpressionAttributeValues),
    ExclusiveStartKey: marshalled(input.ExclusiveStartKey),
  };
}

function marshalled(values: Key | undefined): WireItem | undefined {
  return values === undefined ? undefined : marshall(values, { removeUndefinedValues: true });
}

function plainPage({ Items = [], LastEvaluatedKey, ScannedCount = 0 }: WirePage): ScanPage {
  return {
    Items: Items.map((item) => plainItem(item)),
    ...(LastEvaluatedKey === undefined ? {} : { LastEvaluatedKey: unmarshall(LastEvaluatedKey) }),
    ScannedCount,
  };
}

const versioned = (item: Key | undefined): Key => ({ v: ITEM_VERSION, ...item });

const isWireItem = (value: unknown): value is WireItem => typeof value === 'object' && value !== null;

/** A number that JavaScript cannot hold stays as it was written: it fits no schema, and one that nobody reads is kept. */
function plainItem(item: WireItem): StoredItem {
  return unmarshall(item, {
    wrapNumbers: (text) =>
      Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? Number(text) : NumberValueImpl.from(text),
  });
}

/** JSON.stringify gives a Buffer's own idea of JSON as `value`, and what it was in its holder. */
function binaryAsText(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const held = this[name];
  return held instanceof Uint8Array ? Buffer.from(held).toString('base64') : value;
}

function textAsBinary(name: string, value: unknown): unknown {
  return name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}
