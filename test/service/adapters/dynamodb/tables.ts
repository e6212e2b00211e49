import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { startDynoxide } from '../../../../local/cloud/engines/dynoxide.ts';
import { type AwsAccess, dynamoDbClient } from '../../../../src/adapters/aws-clients.ts';
import { type DynamoDb, dynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { ACCESS } from '../../../fakes/memory-clients.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';

export type TestTables = {
  readonly client: DynamoDb;
  /** The endpoint of the engine, and credentials. */
  readonly access: AwsAccess & { readonly endpoint: string };
  /** AWS's client, for checks that do not use the service's client. */
  readonly documents: DynamoDBDocumentClient;
  /** A table with the keys `pk` and `sk`, like the configuration, conversations and delivery log tables. */
  readonly sorted: string;
  /** Another such table, for a delivery log whose keys must be apart from those of the configuration. */
  readonly log: string;
  /** A table with the key `pk`, like the counters table. */
  readonly unsorted: string;
};

/** Starts a real DynamoDB engine with tables of the shapes of the stack's tables, and stops it after the tests of the file. */
export async function tablesOfFile(): Promise<TestTables> {
  const engine = await startDynoxide(join(temporaryFolder(), 'tables.sqlite'), () => undefined);
  const access = {
    endpoint: engine.origin,
    ...ACCESS,
    // A busy machine must not fail the test.
    requestHandler: { connectionTimeout: 20_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  };
  const plain = new DynamoDBClient(access);
  const run = randomUUID();
  const tables = { sorted: `sorted-${run}`, log: `log-${run}`, unsorted: `unsorted-${run}` };
  const create = (TableName: string, [pk, ...sk]: readonly string[]) => {
    const range = sk.map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' as const }));
    return plain.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: pk, KeyType: 'HASH' }, ...range],
        AttributeDefinitions: [pk, ...sk].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      }),
    );
  };
  for (const sorted of [tables.sorted, tables.log]) await create(sorted, ['pk', 'sk']);
  await create(tables.unsorted, ['pk']);
  afterAll(async () => {
    plain.destroy();
    await engine.stop();
  });
  return {
    client: dynamoDb(dynamoDbClient(access)),
    access,
    documents: DynamoDBDocumentClient.from(plain),
    ...tables,
  };
}

/** Returns the client, and the names of the calls that are made with it. */
export function recorded(client: DynamoDb) {
  const calls: string[] = [];
  const get = (of: DynamoDb, name: keyof DynamoDb) => {
    calls.push(name);
    return of[name];
  };
  return { client: new Proxy(client, { get }), calls };
}

/** Runs a function `count` times concurrently. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}
