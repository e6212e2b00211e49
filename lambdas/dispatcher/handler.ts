import { randomBytes } from 'node:crypto';
import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, eventBridgeClient, secretsManagerClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { actionsTogether } from '../../src/adapters/dynamodb/actions-together.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { failureSpells } from '../../src/adapters/dynamodb/failure-spells.ts';
import { endpointFailing } from '../../src/adapters/eventbridge/event-bus.ts';
import { attemptsMetric } from '../../src/adapters/handlers/attempts-metric.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { outboundFunction } from '../../src/adapters/handlers/outbound-function.ts';
import { sqsBatchHandler } from '../../src/adapters/handlers/sqs-batch.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { cachedRing } from '../../src/adapters/secrets/secret-store.ts';
import { signingSecrets } from '../../src/adapters/secrets/signing-secrets.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS } from '../../src/contract/metrics.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { attemptDelivery } from '../../src/domain/delivery/attempt-delivery.ts';
import { type EndpointFailing, watchEndpoint } from '../../src/domain/delivery/failing-endpoint.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('dispatcher', process.env, dynamo);
const { logger, metrics } = outbound;
const attempts = attemptsMetric(metrics);
const ports = {
  ...outbound.ports,
  findAction: actionsTogether(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...signingSecrets(
    cachedRing(secretsManagerClient(), required(process.env, ENVIRONMENT.sealingKey), now),
    randomBytes,
  ),
  ...deliveriesQueue(sqsClient(), required(process.env, ENVIRONMENT.deliveriesQueue)),
};
const putEndpointFailing = endpointFailing(eventBridgeClient(), required(process.env, ENVIRONMENT.eventBus));
const watch = {
  ...failureSpells(dynamo, {
    counters: required(process.env, ENVIRONMENT.countersTable),
    deliveryLog: required(process.env, ENVIRONMENT.deliveryLogTable),
  }),
  signal: async (event: EndpointFailing) => {
    metrics.addMetric(METRICS.endpointsFailing, MetricUnit.Count, 1);
    logger.warn('An endpoint has failed for an hour', { ...event });
    await putEndpointFailing(event);
  },
  now,
};

export const handler = sqsBatchHandler(
  logger,
  async (body, messageId) => {
    const message = deliveryMessage.parse(body);
    const { outcome, result } = await attemptDelivery(message, messageId, ports);
    logger.info('Attempted', {
      event_id: message.envelope.id,
      org_id: message.envelope.org_id,
      site_id: message.envelope.site_id,
      action_id: message.action_id,
      attempt: message.attempt,
      outcome,
      status: result?.status,
      failure_code: result?.error?.code,
      latency_ms: result?.latency_ms,
    });
    if (result !== null) {
      attempts.count({
        outcome: result.error?.code ?? 'succeeded',
        attempt: message.attempt,
        latencyMs: result.latency_ms,
      });
      // The attempt is made and on record: what goes wrong here is no reason to hand the message out again.
      await watchEndpoint(message, result, watch).catch((error: unknown) => {
        logger.error('An endpoint could not be watched', { error: error instanceof Error ? error.name : 'unknown' });
      });
    }
  },
  async () => {
    attempts.publish();
    await outbound.end();
  },
);
