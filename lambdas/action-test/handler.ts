import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { actionTestRequest } from '../../src/contract/invocations.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundParts } from '../../src/functions/outbound-parts.ts';
import { setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const context = {
  ...outboundParts(dynamo),
  ...functionSigningSecrets(),
  configuration: configurationReads(dynamo, setting('configurationTable')),
  counters: rateLimits(dynamo, setting('countersTable')),
};

export const handler = invokeHandler(functionShell('action-test'), actionTestRequest, async (request, invocation) => ({
  result: await testAction(request.org_id, request.action_id, context, invocation, request.change),
}));
