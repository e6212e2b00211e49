import { dynamoDbClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { assistantOwners, subscriptionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveriesQueue, messageHiding } from '../../src/adapters/sqs/deliveries-queue.ts';
import { eventMessage } from '../../src/contract/queues.ts';
import { routeMessage } from '../../src/domain/events/route-event.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { now, setting } from '../../src/functions/settings.ts';
import { queueHandler } from '../../src/functions/sqs-batch.ts';

const dynamo = dynamoDb(dynamoDbClient());
const sqs = sqsClient();
const configuration = setting('configurationTable');
const retentionDays = Number(setting('deliveryLogRetentionDays'));
const context = {
  subscriptions: {
    subscribersOf: subscriptionReads(dynamo, configuration, now),
    hasAssistant: assistantOwners(dynamo, configuration),
  },
  queue: deliveriesQueue(sqs, setting('deliveriesQueue')),
  deliveryLog: deliveryLog(dynamo, setting('deliveryLogTable'), { retentionDays, now }),
};

const hideFor = messageHiding(sqs, setting('eventsQueue'));
export const handler = queueHandler(functionShell('event-router'), eventMessage, routeMessage, context, hideFor);
