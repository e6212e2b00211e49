import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { warmThroughput } from '../../../src/adapters/aws-account.ts';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';

test('reads and raises the warm throughput of a table as DynamoDB names it', async () => {
  const calls: unknown[] = [];
  const server = createServer(async (request, response) => {
    calls.push([request.headers['x-amz-target'], await json(request)]);
    const Table = { WarmThroughput: { WriteUnitsPerSecond: 9000, ReadUnitsPerSecond: 12_000, Status: 'ACTIVE' } };
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ Table }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = dynamoDbClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  const table = warmThroughput(client, 'log');
  expect(await table.read()).toEqual({ reads: 12_000, writes: 9000 });
  await table.raise({ reads: 12_000, writes: 30_000 });
  const WarmThroughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 30_000 };
  expect(calls).toEqual([
    ['DynamoDB_20120810.DescribeTable', { TableName: 'log' }],
    ['DynamoDB_20120810.UpdateTable', { TableName: 'log', WarmThroughput }],
  ]);
  client.destroy();
  server.closeAllConnections();
  server.close();
});
