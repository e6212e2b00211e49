import { randomBytes } from 'node:crypto';
import { dynamoDbClient, secretsManagerClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { hitPerMinute } from '../../src/adapters/dynamodb/rate-limits.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { invokeHandler } from '../../src/adapters/handlers/invoke.ts';
import { outboundFunction } from '../../src/adapters/handlers/outbound-function.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { cachedRing } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { actionTestRequest } from '../../src/contract/tools.ts';
import { testAction } from '../../src/domain/actions/test-action.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('action-test', process.env, dynamo);
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...signingSecrets(
    cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.sealingKey), now),
    randomBytes,
  ),
  hitPerMinute: hitPerMinute(dynamo, required(process.env, ENVIRONMENT.countersTable)),
};

export const handler = invokeHandler(outbound.logger, actionTestRequest, (request, context) =>
  outbound.invocation(context, async ({ makeAttempt }) => ({
    result: await testAction(request.org_id, request.action_id, { ...ports, makeAttempt }),
  })),
);
