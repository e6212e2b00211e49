import { dynamoDbClient, eventBridgeClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { batchedActionReads } from '../../src/adapters/dynamodb/configuration-reads.ts';
import { failurePeriods } from '../../src/adapters/dynamodb/failure-periods.ts';
import { endpointFailing } from '../../src/adapters/event-bus.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import { deliverEvent } from '../../src/domain/delivery/deliver-event.ts';
import { outboundFunction, unlessEnded } from '../../src/functions/outbound-function.ts';
import { countFailed, deliveryReport } from '../../src/functions/reports.ts';
import { functionSigningSecrets, now, required } from '../../src/functions/shell.ts';
import { sqsBatchHandler } from '../../src/functions/sqs-batch.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('dispatcher', process.env, dynamo, { queued: true });
const { logger, metrics } = outbound;
const beginReport = deliveryReport(logger, metrics, now);
const queue = deliveriesQueue(sqsClient(), required(process.env, ENVIRONMENT.deliveriesQueue));
const signal = endpointFailing(eventBridgeClient(), required(process.env, ENVIRONMENT.eventBus));
const context = {
  configuration: { findAction: batchedActionReads(dynamo, required(process.env, ENVIRONMENT.configurationTable)) },
  signingSecrets: functionSigningSecrets(process.env),
  failurePeriods: failurePeriods(dynamo, {
    counters: required(process.env, ENVIRONMENT.countersTable),
    deliveryLog: required(process.env, ENVIRONMENT.deliveryLogTable),
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
