import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { rateLimits } from '../../src/adapters/dynamodb/rate-limits.ts';
import { actionTestRequest } from '../../src/contract/invocations.ts';
import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { functionSigningSecrets, now, required } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('action-test', process.env, dynamo);
const context = {
  configuration: configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  counters: rateLimits(dynamo, required(process.env, ENVIRONMENT.countersTable)),
  signingSecrets: functionSigningSecrets(process.env),
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(outbound.logger, actionTestRequest, (request, time) =>
  outbound.invocation(time, async (attempts) => ({
    result: await testAction(request.org_id, request.action_id, { ...context, attempts }),
  })),
);
