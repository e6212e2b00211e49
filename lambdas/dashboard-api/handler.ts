import { randomBytes } from 'node:crypto';
import { dynamoDbClient, lambdaClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../src/adapters/dynamodb/configuration-store.ts';
import { members } from '../../src/adapters/dynamodb/members.ts';
import { requestCounts } from '../../src/adapters/dynamodb/rate-limits.ts';
import { recordedStores } from '../../src/adapters/dynamodb/recorded-store.ts';
import { actionTestFunction } from '../../src/adapters/lambda/action-test.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { dashboardHandler } from '../../src/functions/dashboard-router.ts';
import { dashboardRoutes } from '../../src/functions/dashboard-routes.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { reportUnreadable } from '../../src/functions/reports.ts';
import { functionLogger, now, required } from '../../src/functions/shell.ts';

const logger = functionLogger('dashboard-api');
const dynamo = dynamoDb(dynamoDbClient());
const configuration = required(process.env, ENVIRONMENT.configurationTable);
const counters = required(process.env, ENVIRONMENT.countersTable);
const memberships = members(dynamo, configuration);
const routes = dashboardRoutes({
  ...recordedStores(dynamo, { configuration, counters }, now),
  store: configurationStore(dynamo, configuration),
  membershipsOf: memberships.membershipsOf,
  members: memberships,
  reportUnreadable: reportUnreadable(logger),
  requestCounts: requestCounts(dynamo, counters, now),
  testAction: actionTestFunction(lambdaClient(), required(process.env, ENVIRONMENT.actionTestFunction)),
  sealSigningSecret: functionSigningSecrets(process.env).sealSigningSecret,
  now,
  randomBytes,
});

export const handler = dashboardHandler(logger, routes, memberships);
