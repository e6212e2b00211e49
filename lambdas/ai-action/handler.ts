import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations-table.ts';
import { toolRequest } from '../../src/contract/invocations.ts';
import { callTool, listTools, type ToolCallRecord } from '../../src/domain/actions/call-tool.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { reportUnreadable } from '../../src/functions/reports.ts';
import { now, setting } from '../../src/functions/shell.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('ai-action', dynamo);
const { logger } = outbound;
const context = {
  configuration: configurationReads(dynamo, setting('configurationTable'), reportUnreadable(logger)),
  conversations: conversations(dynamo, setting('conversationsTable'), now),
  signingSecrets: functionSigningSecrets(),
  report: {
    recordFailed: ({ call_id, action_id, status, latency_ms }: ToolCallRecord) =>
      logger.error('A call could not be recorded with its conversation', { call_id, action_id, status, latency_ms }),
  },
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(logger, toolRequest, (request, time) =>
  outbound.invocation(time, async (attempts) =>
    request.operation === 'listTools'
      ? { tools: await listTools(request.site_id, context) }
      : callTool(request, { ...context, attempts }),
  ),
);
