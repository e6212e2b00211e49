import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { SERVER_KEY_HEADER } from '../../src/contract/public-operations.ts';
import { createSession } from '../../src/domain/auth/create-session.ts';
import { functionOriginSecret, functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { setting } from '../../src/functions/settings.ts';
import { isFromDistribution, visitorIp } from '../../src/functions/widget-request.ts';

const dynamo = dynamoDb(dynamoDbClient());
const isOriginSecret = functionOriginSecret();
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
};

export const handler = httpHandler(functionShell('session-create'), async (request, invocation) => {
  const serverKey = request.headers[SERVER_KEY_HEADER];
  const ip = visitorIp(request, await isFromDistribution(request, isOriginSecret));
  const { readBody } = request;
  // Only createSession finds out which assistant the server key is of, so its read of the assistant names the site in the log.
  const findAssistant = async (siteId: string) => {
    const assistant = await context.configuration.findAssistant(siteId);
    request.logSite(assistant);
    return assistant;
  };
  const configuration = { ...context.configuration, findAssistant };
  const body = await createSession({ serverKey, ip, readBody }, { ...context, configuration }, invocation);
  return { status: 200, body };
});
