import { dynamoDbClient, eventBridgeClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { batchedActionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { failurePeriods } from '../../src/adapters/dynamodb/failure-periods.ts';
import { endpointFailing } from '../../src/adapters/event-bus.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { deliverEvent } from '../../src/domain/delivery/deliver-event.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { outboundFunction, unlessEnded } from '../../src/functions/outbound-function.ts';
import { countFailed, deliveryReport } from '../../src/functions/reports.ts';
import { now, setting } from '../../src/functions/shell.ts';
import { sqsBatchHandler } from '../../src/functions/sqs-batch.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('dispatcher', dynamo, { queued: true });
const { logger, metrics } = outbound;
const beginReport = deliveryReport(logger, metrics, now);
const queue = deliveriesQueue(sqsClient(), setting('deliveriesQueue'));
const signal = endpointFailing(eventBridgeClient(), setting('eventBus'));
const context = {
  configuration: { findAction: batchedActionReads(dynamo, setting('configurationTable')) },
  signingSecrets: functionSigningSecrets(),
  failurePeriods: failurePeriods(dynamo, {
    counters: setting('countersTable'),
    deliveryLog: setting('deliveryLogTable'),
  }),
  now,
};

export const handler = sqsBatchHandler(
  logger,
  (time, work) =>
    outbound.invocation(time, async (attempts, ended) => {
      const report = beginReport();
      const ports = {
        ...context,
        attempts,
        queue: { sendLater: unlessEnded(ended, queue.sendLater) },
        signal: report.signalWith(signal),
        report,
      };
      try {
        return await work((body, messageId) => deliverEvent(deliveryMessage.parse(body), messageId, ports));
      } finally {
        report.publish();
      }
    }),
  { hideFor: queue.hideFor, failed: countFailed(metrics) },
);
