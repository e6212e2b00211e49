import { randomBytes, randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { conversations } from '../../src/adapters/dynamodb/conversations.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { required } from '../../src/adapters/lambda/environment.ts';
import { invokeHandler } from '../../src/adapters/lambda/invoke.ts';
import { logWriteFailed } from '../../src/adapters/lambda/log-write-failed.ts';
import { now, outboundClock } from '../../src/adapters/lambda/system-clock.ts';
import { createDeliver } from '../../src/adapters/outbound/deliver.ts';
import { cachedRing, secretsManagerClient } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS_NAMESPACE } from '../../src/contract/metrics.ts';
import { toolRequest } from '../../src/contract/tools.ts';
import { callTool, listTools, type ToolCallRecord } from '../../src/domain/actions/call-tool.ts';

const logger = new Logger({ serviceName: 'ai-action' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'ai-action' });
const dynamo = dynamoDocumentClient();
const { deliver, close } = createDeliver({ clock: outboundClock });
const ports = {
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...conversations(dynamo, required(process.env, ENVIRONMENT.conversationsTable), now),
  ...signingSecrets(
    cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.sealingKey), now),
    randomBytes,
  ),
  log: deliveryLog(dynamo, required(process.env, ENVIRONMENT.deliveryLogTable), {
    retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
    now,
  }),
  logWriteFailed: logWriteFailed(logger, metrics),
  recordFailed: ({ call_id, action_id, status, latency_ms }: ToolCallRecord) =>
    logger.error('A call could not be recorded on its conversation', { call_id, action_id, status, latency_ms }),
  deliver,
  now,
  newId: randomUUID,
};

export const handler = invokeHandler(logger, toolRequest, async (request) => {
  if (request.operation === 'listTools') return { tools: await listTools(request.site_id, ports) };
  try {
    return await callTool(
      {
        siteId: request.site_id,
        conversationId: request.conversation_id,
        tool: request.tool,
        arguments: request.arguments,
      },
      ports,
    );
  } finally {
    await close();
    metrics.publishStoredMetrics();
  }
});
