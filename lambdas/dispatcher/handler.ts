import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { dynamoDocumentClient } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { required } from '../../src/adapters/lambda/environment.ts';
import { logWriteFailed } from '../../src/adapters/lambda/log-write-failed.ts';
import { sqsBatchHandler } from '../../src/adapters/lambda/sqs-batch.ts';
import { now, outboundClock } from '../../src/adapters/lambda/system-clock.ts';
import { createDeliver } from '../../src/adapters/outbound/deliver.ts';
import { cachedRing, secretsManagerClient } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { deliveriesQueue, sqsClient } from '../../src/adapters/sqs/deliveries-queue.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS, METRICS_NAMESPACE } from '../../src/contract/metrics.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { attemptDelivery } from '../../src/domain/delivery/attempt-delivery.ts';

const logger = new Logger({ serviceName: 'dispatcher' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'dispatcher' });
const dynamo = dynamoDocumentClient();
const { deliver, close } = createDeliver({ clock: outboundClock });
const ports = {
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...signingSecrets(
    cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.sealingKey), now),
    randomBytes,
  ),
  ...deliveriesQueue(sqsClient(), required(process.env, ENVIRONMENT.deliveriesQueue)),
  log: deliveryLog(dynamo, required(process.env, ENVIRONMENT.deliveryLogTable), {
    retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
    now,
  }),
  logWriteFailed: logWriteFailed(logger, metrics),
  deliver,
  now,
};

export const handler = sqsBatchHandler(
  logger,
  async (body, messageId) => {
    const message = deliveryMessage.parse(body);
    const { outcome, result } = await attemptDelivery(message, messageId, ports);
    logger.info('Attempted', {
      event_id: message.envelope.id,
      action_id: message.action_id,
      attempt: message.attempt,
      outcome,
      status: result?.status,
      failure_code: result?.error?.code,
      latency_ms: result?.latency_ms,
    });
    if (result !== null) {
      const one = metrics.singleMetric();
      one.addDimension('outcome', result.error?.code ?? 'succeeded');
      one.addMetric(METRICS.attempts, MetricUnit.Count, 1);
    }
  },
  async () => {
    await close();
    metrics.publishStoredMetrics();
  },
);
