import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { usageReport } from '../../src/contract/invocations.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';
import { functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundParts } from '../../src/functions/outbound-parts.ts';
import { setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const context = {
  ...outboundParts(dynamo),
  configuration: configurationReads(dynamo, setting('configurationTable')),
  tokens: functionSessionTokens(),
};

export const handler = invokeHandler(functionShell('usage-report'), usageReport, (report, invocation) =>
  reportUsage(report, context, invocation),
);
