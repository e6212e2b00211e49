import { inspect } from 'node:util';
import { BatchWriteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ConditionFailed } from '../../../../src/adapters/dynamodb/storage-errors.ts';
import { tablesOfFile } from './tables.ts';
import { through } from './through.ts';

const tables = await tablesOfFile();

const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const VALUES = {
  text: 'Zoë 🙂 "B":" \\',
  empty: '',
  number: -0.5,
  largest: Number.MAX_SAFE_INTEGER,
  yes: true,
  nothing: null,
  list: [1, 'two', [3], { four: 4 }],
  map: { B: { B: 'not binary' }, 'with space': {}, __proto: 1 },
  binary: BYTES,
  nested: { binaries: [BYTES, Uint8Array.of()] },
};
describe('values', () => {
  test("of this client are readable for AWS's client", async () => {
    const Key = { pk: 'ours', sk: '1' };
    await tables.client.putItem({ TableName: tables.sorted, Item: { ...Key, ...VALUES, left_out: undefined } });
    const { Item } = await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }));
    expect({ ...Item, binary: 0, nested: 0 }).toEqual({ ...Key, ...VALUES, v: 1, binary: 0, nested: 0 });
    expect(Buffer.from(Item?.binary)).toEqual(Buffer.from(BYTES));
    expect(Item?.nested.binaries.map((one: Uint8Array) => one.length)).toEqual([256, 0]);
  });

  test("of AWS's client are readable for this client", async () => {
    const Key = { pk: 'theirs', sk: '1' };
    await tables.documents.send(new PutCommand({ TableName: tables.sorted, Item: { ...Key, ...VALUES } }));
    const { Item } = await tables.client.get({ TableName: tables.sorted, Key });
    expect({ ...Item, binary: 0, nested: 0 }).toEqual({ ...Key, ...VALUES, binary: 0, nested: 0 });
    expect(Item?.binary).toBeInstanceOf(Uint8Array);
    expect(Item?.binary).toEqual(Buffer.from(BYTES));
    expect(Item).toMatchObject({ nested: { binaries: [{ length: 256 }, { length: 0 }] } });
  });

  test('of unsupported types are refused before a request is sent', async () => {
    const put = (value: unknown) =>
      tables.client.putItem({ TableName: tables.sorted, Item: { pk: 'x', sk: 'x', value } });
    await expect(put(new Date())).rejects.toThrow();
    await expect(put(Number.MAX_SAFE_INTEGER + 1)).rejects.toThrow();
    expect(await tables.client.get({ TableName: tables.sorted, Key: { pk: 'x', sk: 'x' } })).toEqual({});
  });
});

test('a write whose condition fails returns the conflicting item, and does not log it', async () => {
  const Item = { pk: 'in-the-way', sk: '1', text: 'private', binary: BYTES };
  const put = () =>
    tables.client.putItem({
      TableName: tables.sorted,
      Item,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  await put();
  const error = await put().catch((failed: unknown) => failed);
  if (!(error instanceof ConditionFailed)) throw error;
  expect({ ...error.item, binary: 0 }).toEqual({ ...Item, v: 1, binary: 0 });
  expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('private');
});

describe('a partition with several pages', () => {
  const COUNT = 40;
  beforeEach(async () => {
    const requests = Array.from({ length: COUNT }, (_, i) => ({
      PutRequest: { Item: { pk: 'pages', sk: String(i).padStart(3, '0'), text: 'x'.repeat(50_000) } },
    }));
    for (let start = 0; start < COUNT; start += 10) {
      const RequestItems = { [tables.sorted]: requests.slice(start, start + 10) };
      await tables.documents.send(new BatchWriteCommand({ RequestItems }));
    }
  });
  const query = {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'pages' },
    ProjectionExpression: 'pk, sk',
  };

  test('is queried and scanned completely', async () => {
    const queried: string[][] = [];
    for await (const { Items } of tables.client.queryPages({ TableName: tables.sorted, ...query })) {
      queried.push(Items.map(({ sk }) => String(sk)));
    }
    expect(queried.length).toBeGreaterThan(1);
    expect(queried.flat()).toEqual(Array.from({ length: COUNT }, (_, i) => String(i).padStart(3, '0')));
    let [scanned, read] = [0, 0];
    const scan = { FilterExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'pages' } };
    for await (const { Items, ScannedCount } of tables.client.scanPages({ TableName: tables.sorted, ...scan })) {
      scanned += Items.length;
      read += ScannedCount;
    }
    expect(scanned).toBe(COUNT);
    expect(read).toBeGreaterThanOrEqual(COUNT);
  });

  test('is deleted in batches, and a batch that is too large is refused', async () => {
    const keys = Array.from({ length: 26 }, (_, i) => ({ pk: 'pages', sk: String(i).padStart(3, '0') }));
    await expect(tables.client.batchDelete(tables.sorted, keys)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(await tables.client.batchDelete(tables.sorted, keys.slice(0, 25))).toEqual([]);
    expect((await tables.client.query({ TableName: tables.sorted, ...query })).Items).toHaveLength(COUNT - 25);
  });
});

test('a transaction whose answer is lost is sent again with the same idempotency token', async () => {
  const { client, calls, stop } = await through(tables.access, ({ count }) => (count === 1 ? 'lost' : undefined));
  const Put = { TableName: tables.unsorted, Item: { pk: 'put' } };
  const write = () =>
    client.transactWrite([
      { Put },
      {
        Update: {
          TableName: tables.unsorted,
          Key: { pk: 'counted' },
          UpdateExpression: 'SET hits = if_not_exists(hits, :none) + :one',
          ExpressionAttributeValues: { ':none': 0, ':one': 1 },
        },
      },
    ]);
  await write();
  await write();
  stop();
  const tokens = calls.map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(tokens).toHaveLength(3);
  expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(tokens[1]).toBe(tokens[0]);
  expect(tokens[2]).not.toBe(tokens[0]);
  const { Item } = await tables.client.get({ TableName: tables.unsorted, Key: { pk: 'counted' } });
  expect(Item?.hits).toBe(2);
  expect(await tables.client.get({ TableName: tables.unsorted, Key: { pk: 'put' } })).toEqual({
    Item: { pk: 'put', v: 1 },
  });
});

test('a batch returns its unprocessed keys', async () => {
  const left = { [tables.sorted]: [{ DeleteRequest: { Key: { pk: { S: 'p' }, sk: { S: '2' } } } }] };
  const { client, stop } = await through(tables.access, () => ({ UnprocessedItems: left }));
  const keys = [
    { pk: 'p', sk: '1' },
    { pk: 'p', sk: '2' },
  ];
  expect(await client.batchDelete(tables.sorted, keys)).toEqual([{ pk: 'p', sk: '2' }]);
  stop();
});
