import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { toolRequest } from '../../src/contract/invocations.ts';
import { callTool, listTools } from '../../src/domain/actions/call-tool.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundParts } from '../../src/functions/outbound-parts.ts';
import { now, setting } from '../../src/functions/settings.ts';

const dynamo = dynamoDb(dynamoDbClient());
const context = {
  ...outboundParts(dynamo),
  ...functionSigningSecrets(),
  configuration: configurationReads(dynamo, setting('configurationTable')),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
};

export const handler = invokeHandler(functionShell('ai-action'), toolRequest, async (request, invocation) =>
  request.operation === 'listTools'
    ? { tools: await listTools(request, context, invocation) }
    : callTool(request, context, invocation),
);
