import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { toolRequest } from '../../src/contract/tools.ts';
import { callTool, listTools, type ToolCallRecord } from '../../src/domain/actions/call-tool.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { reportNotListed, reportUnreadable } from '../../src/functions/reports.ts';
import { now, required } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('ai-action', process.env, dynamo);
const { logger } = outbound;
const ports = {
  ...outbound.ports,
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable), reportUnreadable(logger)),
  ...conversations(dynamo, required(process.env, ENVIRONMENT.conversationsTable), now),
  ...functionSigningSecrets(process.env),
  notListed: reportNotListed(logger),
  recordFailed: ({ call_id, action_id, status, latency_ms }: ToolCallRecord) =>
    logger.error('A call could not be recorded with its conversation', { call_id, action_id, status, latency_ms }),
};

export const handler = invokeHandler(logger, toolRequest, (request, context) =>
  outbound.invocation(context, async ({ makeAttempt }) =>
    request.operation === 'listTools'
      ? { tools: await listTools(request.site_id, ports) }
      : callTool(
          {
            siteId: request.site_id,
            conversationId: request.conversation_id,
            tool: request.tool,
            arguments: request.arguments,
          },
          { ...ports, makeAttempt },
        ),
  ),
);
