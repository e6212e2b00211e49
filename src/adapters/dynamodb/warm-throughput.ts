import { DescribeTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { WarmedTable } from '../../domain/operations/warm-tables.ts';

/** The warm throughput of a table (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html). */
export const warmThroughput = (client: DynamoDBClient, TableName: string): WarmedTable => ({
  read: async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { ReadUnitsPerSecond: reads = 0, WriteUnitsPerSecond: writes = 0 } = Table?.WarmThroughput ?? {};
    return { reads, writes };
  },
  raise: async ({ reads, writes }) => {
    const WarmThroughput = { ReadUnitsPerSecond: reads, WriteUnitsPerSecond: writes };
    await client.send(new UpdateTableCommand({ TableName, WarmThroughput }));
  },
});
