import { dynamoDbClient, eventBridgeClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { batchedActionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { failurePeriods } from '../../src/adapters/dynamodb/failure-periods.ts';
import { endpointFailing } from '../../src/adapters/event-bus.ts';
import { deliveriesQueue, messageHiding } from '../../src/adapters/sqs/deliveries-queue.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { deliverEvent } from '../../src/domain/delivery/deliver-event.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { functionShell } from '../../src/functions/invocation.ts';
import { outboundParts } from '../../src/functions/outbound-parts.ts';
import { setting } from '../../src/functions/settings.ts';
import { queueHandler } from '../../src/functions/sqs-batch.ts';

const dynamo = dynamoDb(dynamoDbClient());
const sqs = sqsClient();
const queueUrl = setting('deliveriesQueue');
const tables = { counters: setting('countersTable'), deliveryLog: setting('deliveryLogTable') };
const context = {
  ...outboundParts(dynamo),
  ...functionSigningSecrets(),
  findAction: batchedActionReads(dynamo, setting('configurationTable')),
  queue: deliveriesQueue(sqs, queueUrl),
  failurePeriods: failurePeriods(dynamo, tables),
  publishFailing: endpointFailing(eventBridgeClient(), setting('eventBus')),
};

const hideFor = messageHiding(sqs, queueUrl);
export const handler = queueHandler(functionShell('dispatcher'), deliveryMessage, deliverEvent, context, hideFor);
