import { dynamoDbClient, snsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { rateLimits } from '../../src/adapters/dynamodb/counters-table.ts';
import { escalationChannels } from '../../src/adapters/escalation-topics.ts';
import { submitForm } from '../../src/domain/actions/submit-form.ts';
import { functionSessionTokens, functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { httpHandler } from '../../src/functions/http.ts';
import { widgetIdentification } from '../../src/functions/identified-widget.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { outboundParts } from '../../src/functions/outbound-parts.ts';
import { now, setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const context = {
  ...outboundParts(dynamo),
  ...functionSigningSecrets(),
  configuration: configurationReads(dynamo, setting('configurationTable')),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
  counters: rateLimits(dynamo, setting('countersTable')),
  tokens: functionSessionTokens(),
  escalate: escalationChannels(snsClient()),
};
const identify = widgetIdentification(context);

export const handler = httpHandler(functionShell('form-submit'), async (request, invocation) => {
  const widget = await identify(request);
  const { site_id: siteId = '', slug = '' } = request.path;
  const { readBody } = request;
  return { status: 200, body: await submitForm({ widget, siteId, slug, readBody }, context, invocation) };
});
