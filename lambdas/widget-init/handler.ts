import { randomUUID } from 'node:crypto';
import { dynamoDbClient, eventBridgeClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { eventBus } from '../../src/adapters/event-bus.ts';
import type { IdentifiedWidget } from '../../src/domain/auth/authenticate-widget.ts';
import { initWidget } from '../../src/domain/conversations/init-widget.ts';
import { functionOriginSecret, functionSessionTokens } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { reportUnreadable } from '../../src/functions/reports.ts';
import { functionLogger, now, setting } from '../../src/functions/shell.ts';
import { distributionOnly, siteIdentified, visitorIp, widgetCredentials } from '../../src/functions/widget-request.ts';

const logger = functionLogger('widget-init');
const dynamo = dynamoDb(dynamoDbClient());
const isOriginSecret = functionOriginSecret();
const requireDistribution = distributionOnly(process.env, () => isOriginSecret);
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable'), reportUnreadable(logger)),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
  publish: eventBus(eventBridgeClient(), setting('eventBus')),
  now,
  newId: randomUUID,
};

export const handler = httpHandler(logger, async (request, announced) => {
  await requireDistribution(request);
  const credentials = widgetCredentials(request, await visitorIp(request, isOriginSecret));
  const identified = (widget: IdentifiedWidget) => siteIdentified(widget, logger, announced);
  const init = { credentials, readBody: request.readBody };
  return { status: 200, body: await initWidget(init, { ...context, identified }) };
});
