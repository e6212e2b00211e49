import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { configurationReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { required } from '../../src/adapters/handlers/environment.ts';
import { sqsBatchHandler } from '../../src/adapters/handlers/sqs-batch.ts';
import { now } from '../../src/adapters/handlers/system-clock.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { METRICS, METRICS_NAMESPACE, METRICS_SERVICE } from '../../src/contract/metrics.ts';
import { busEvent, isNewerEvent } from '../../src/contract/queues.ts';
import { recordTooLarge } from '../../src/domain/delivery/attempt-delivery.ts';
import { routeEvent } from '../../src/domain/events/route-event.ts';

const logger = new Logger({ serviceName: 'event-router' });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const dynamo = dynamoDb(dynamoDbClient());
const log = deliveryLog(dynamo, required(process.env, ENVIRONMENT.deliveryLogTable), {
  retentionDays: Number(required(process.env, ENVIRONMENT.deliveryLogRetentionDays)),
  now,
});
const ports = {
  ...configurationReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...deliveriesQueue(sqsClient(), required(process.env, ENVIRONMENT.deliveriesQueue)),
  recordTooLarge: recordTooLarge({ log, now }),
};

export const handler = sqsBatchHandler(logger, async (body, messageId) => {
  const event = busEvent.safeParse(body);
  if (!event.success && isNewerEvent(body)) throw new Error('The event is of a newer version');
  // The bus's publisher got the shape wrong: no retry can mend that, and no organization can be told.
  if (!event.success) {
    logger.error('An event without a proper org_id or data was dropped', { message_id: messageId });
    const dropped = metrics.singleMetric();
    dropped.addMetric(METRICS.eventsDropped, MetricUnit.Count, 1);
    return;
  }
  const deliveries = await routeEvent(event.data, ports);
  const { id, detail } = event.data;
  logger.info('Routed', {
    event_id: id,
    event: event.data['detail-type'],
    org_id: detail.org_id,
    site_id: detail.site_id,
    deliveries,
  });
});
