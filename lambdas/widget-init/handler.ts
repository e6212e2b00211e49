import { dynamoDbClient, eventBridgeClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import { initWidget } from '../../src/domain/conversations/init-widget.ts';
import { functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { widgetIdentification } from '../../src/functions/identified-widget.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { now, setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable')),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
  publish: eventBus(eventBridgeClient(), setting('eventBus')),
};
const identify = widgetIdentification(context);

export const handler = httpHandler(functionShell('widget-init'), async (request, invocation) => {
  const widget = await identify(request);
  return { status: 200, body: await initWidget({ widget, readBody: request.readBody }, context, invocation) };
});
