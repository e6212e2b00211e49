import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { usageReport } from '../../src/contract/invocations.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';
import { functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { now, setting } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('usage-report', dynamo);
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  tokens: functionSessionTokens(),
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(outbound.logger, usageReport, (report, time) =>
  outbound.invocation(time, (attempts) => reportUsage(report, { ...context, attempts })),
);
