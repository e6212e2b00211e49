import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynoxide } from '../../../../local/cloud/engines/dynoxide.ts';
import { engineTables, type Tables } from '../../../../local/cloud/services/dynamodb.ts';
import type { Resource } from '../../../../local/cloud/template/stack.ts';

/** More than one step of a sweep reads, which is 250. */
const ITEMS = 260;
const NOW_S = 1_800_000_000;

const table: Resource<'AWS::DynamoDB::Table'> = {
  logicalId: 'Table',
  ref: 'table',
  arn: 'arn:aws:dynamodb:us-east-1:000000000000:table/table',
  properties: {
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
  },
};

let folder: string;
let engine: Tables;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'va-wave-test-'));
  engine = engineTables(await startDynoxide(join(folder, 'tables.db'), () => undefined), [table]);
  await engine.create();
});
afterEach(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(operation: string, parameters: object): Promise<string> {
  const headers = {
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    'x-amz-date': '20200101T000000Z',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  };
  const { status, body } = await engine.forward({ headers, body: Buffer.from(JSON.stringify(parameters)) });
  expect(status).toBe(200);
  return body.toString();
}

const put = (pk: string, expires: number) =>
  call('PutItem', { TableName: 'table', Item: { pk: { S: pk }, expires_at: { N: String(expires) } } });
const count = async (): Promise<number> =>
  JSON.parse(await call('Scan', { TableName: 'table', Select: 'COUNT' })).Count;

test('a step of a sweep reads a part of a table, and the next step goes on there and starts again at the end', async () => {
  await Promise.all(Array.from({ length: ITEMS }, (_, item) => put(`item-${item}`, NOW_S - 1)));
  await put('alive', NOW_S + 1);
  await engine.sweep(NOW_S * 1000);
  const left = await count();
  expect(left).toBeGreaterThan(1);
  expect(left).toBeLessThan(ITEMS);
  await engine.sweep(NOW_S * 1000);
  expect(await count()).toBe(1);
  await put('later', NOW_S - 1);
  await engine.sweep(NOW_S * 1000);
  expect(await count()).toBe(1);
});
