import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { usageReport } from '../../src/contract/usage.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';
import { functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { required } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('usage-report', process.env, dynamo);
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...functionSessionTokens(process.env),
};

export const handler = invokeHandler(outbound.logger, usageReport, (report, context) =>
  outbound.invocation(context, ({ makeAttempt }) => reportUsage(report, { ...ports, makeAttempt })),
);
