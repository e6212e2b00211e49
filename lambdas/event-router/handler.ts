import { Metrics } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { assistantOwners, subscriptionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { METRICS_NAMESPACE } from '../../src/deployment/metrics.ts';
import { recordNotCarried } from '../../src/domain/delivery/deliver-event.ts';
import { routeMessage } from '../../src/domain/events/route-event.ts';
import { countFailed, publish, routingReport } from '../../src/functions/reports.ts';
import { functionLogger, now, setting } from '../../src/functions/shell.ts';
import { sqsBatchHandler } from '../../src/functions/sqs-batch.ts';

const logger = functionLogger('event-router');
const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
const dynamo = dynamoDb(dynamoDbClient());
const log = deliveryLog(dynamo, setting('deliveryLogTable'), {
  retentionDays: Number(setting('deliveryLogRetentionDays')),
  now,
});
const configuration = setting('configurationTable');
const context = {
  subscriptions: {
    subscribersOf: subscriptionReads(dynamo, configuration, now),
    hasAssistant: assistantOwners(dynamo, configuration),
  },
  queue: deliveriesQueue(sqsClient(), setting('deliveriesQueue')),
  recordNotCarried: recordNotCarried({ log, now }),
  report: routingReport(logger, metrics),
};

export const handler = sqsBatchHandler(
  logger,
  (_, work) => work((body, messageId) => routeMessage(body, messageId, context)).finally(() => publish(metrics)),
  { failed: countFailed(metrics) },
);
