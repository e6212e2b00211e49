import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { hitPerMinute } from '../../src/adapters/dynamodb/rate-limits.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { actionTestRequest } from '../../src/contract/tools.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { required } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('action-test', process.env, dynamo);
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...functionSigningSecrets(process.env),
  hitPerMinute: hitPerMinute(dynamo, required(process.env, ENVIRONMENT.countersTable)),
};

export const handler = invokeHandler(outbound.logger, actionTestRequest, (request, context) =>
  outbound.invocation(context, async ({ makeAttempt }) => ({
    result: await testAction(request.org_id, request.action_id, { ...ports, makeAttempt }),
  })),
);
