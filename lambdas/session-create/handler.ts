import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { SERVER_KEY_HEADER } from '../../src/contract/public-operations.ts';
import { createSession } from '../../src/domain/auth/create-session.ts';
import { functionOriginSecret, functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { functionLogger, now, setting } from '../../src/functions/shell.ts';
import { visitorIp } from '../../src/functions/widget-request.ts';

const logger = functionLogger('session-create');
const dynamo = dynamoDb(dynamoDbClient());
const isOriginSecret = functionOriginSecret();
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
  now,
  newId: randomUUID,
};

export const handler = httpHandler(logger, async (request) => ({
  status: 200,
  body: await createSession(
    {
      serverKey: request.headers[SERVER_KEY_HEADER],
      ip: await visitorIp(request, isOriginSecret),
      readBody: request.readBody,
    },
    context,
  ),
}));
