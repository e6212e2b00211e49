import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { actionTestRequest } from '../../src/contract/invocations.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { now, setting } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('action-test', dynamo);
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  counters: rateLimits(dynamo, setting('countersTable')),
  signingSecrets: functionSigningSecrets(),
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(outbound.logger, actionTestRequest, (request, time) =>
  outbound.invocation(time, async (attempts) => ({
    result: await testAction(request.org_id, request.action_id, { ...context, attempts }),
  })),
);
