import { warmThroughput } from '../../../../src/adapters/aws-account.ts';
import { dynamoDbClient } from '../../../../src/adapters/aws-clients.ts';
import { AwsFault, FakeAwsServices } from '../../../fakes/aws-services.ts';

test('reads and raises the warm throughput of a table as DynamoDB names it', async () => {
  const aws = new FakeAwsServices();
  const Table = {
    TableStatus: 'ACTIVE',
    WarmThroughput: { WriteUnitsPerSecond: 9000, ReadUnitsPerSecond: 12_000, Status: 'ACTIVE' },
  };
  aws.on('DescribeTable', { TableName: 'log' }, { Table });
  aws.on('UpdateTable', {}, { Table });
  const table = warmThroughput(dynamoDbClient(aws.access()), 'log');
  expect(await table.read()).toEqual({ reads: 12_000, writes: 9000, updating: false });
  await table.raise({ reads: 12_000, writes: 30_000 });
  const WarmThroughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 30_000 };
  expect(aws.callsOf('UpdateTable')).toEqual([{ TableName: 'log', WarmThroughput }]);
});

test.each([
  ['ACTIVE', 'UPDATING'],
  ['UPDATING', 'ACTIVE'],
])('a table that is %s with a throughput that is %s is updating', async (TableStatus, Status) => {
  const aws = new FakeAwsServices();
  const WarmThroughput = { WriteUnitsPerSecond: 9000, ReadUnitsPerSecond: 12_000, Status };
  aws.on('DescribeTable', { TableName: 'log' }, { Table: { TableStatus, WarmThroughput } });
  expect(await warmThroughput(dynamoDbClient(aws.access()), 'log').read()).toMatchObject({ updating: true });
});

test('a change that somebody else has begun just now is no error, and another refusal is one', async () => {
  const aws = new FakeAwsServices();
  const table = warmThroughput(dynamoDbClient(aws.access()), 'log');
  aws.on('UpdateTable', {}, new AwsFault('ResourceInUseException'), new AwsFault('LimitExceededException'));
  await table.raise({ reads: 12_000, writes: 30_000 });
  await expect(table.raise({ reads: 12_000, writes: 30_000 })).rejects.toMatchObject({
    name: 'LimitExceededException',
  });
});
