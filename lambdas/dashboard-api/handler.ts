import { randomBytes } from 'node:crypto';
import { dynamoDbClient, lambdaClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { requestCounts } from '../../src/adapters/dynamodb/counters-table.ts';
import { members } from '../../src/adapters/dynamodb/memberships.ts';
import { actionTestFunction } from '../../src/adapters/function-invocations.ts';
import { dashboardHandler, dashboardWork } from '../../src/functions/dashboard-api.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { now, setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const configuration = setting('configurationTable');
const context = {
  store: configurationStore(dynamo, configuration, now),
  members: members(dynamo, configuration),
  requestCounts: requestCounts(dynamo, setting('countersTable'), now),
  testAction: actionTestFunction(lambdaClient(), setting('actionTestFunction')),
  sealSigningSecret: functionSigningSecrets().sealSigningSecret,
  now,
  randomBytes,
};

export const handler = dashboardHandler(functionShell('dashboard-api'), dashboardWork(context), context.members);
