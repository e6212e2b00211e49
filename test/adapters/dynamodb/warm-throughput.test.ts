import { warmThroughput } from '../../../src/adapters/aws-account.ts';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { FakeAwsServices } from '../../fakes/aws-services.ts';

test('reads and raises the warm throughput of a table as DynamoDB names it', async () => {
  const aws = new FakeAwsServices();
  const Table = { WarmThroughput: { WriteUnitsPerSecond: 9000, ReadUnitsPerSecond: 12_000, Status: 'ACTIVE' } };
  aws.on('DescribeTable', { TableName: 'log' }, { Table });
  aws.on('UpdateTable', {}, { Table });
  const table = warmThroughput(dynamoDbClient(aws.access()), 'log');
  expect(await table.read()).toEqual({ reads: 12_000, writes: 9000 });
  await table.raise({ reads: 12_000, writes: 30_000 });
  const WarmThroughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 30_000 };
  expect(aws.callsOf('UpdateTable')).toEqual([{ TableName: 'log', WarmThroughput }]);
});
