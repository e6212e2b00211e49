import { dynamoDbClient, secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { invokeHandler } from '../../src/adapters/handlers/invoke.ts';
import { outboundFunction } from '../../src/adapters/handlers/outbound-function.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { cachedRing } from '../../src/adapters/secrets/secret-store.ts';
import { sessionTokens } from '../../src/adapters/secrets/session-tokens.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { usageReport } from '../../src/contract/usage.ts';
import { reportUsage } from '../../src/domain/usage/report-usage.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('usage-report', process.env, dynamo);
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...sessionTokens(cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.tokenKeys), now), now),
};

export const handler = invokeHandler(outbound.logger, usageReport, (report, context) =>
  outbound.invocation(context, ({ makeAttempt }) => reportUsage(report, { ...ports, makeAttempt })),
);
