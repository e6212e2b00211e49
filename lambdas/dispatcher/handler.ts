import { dynamoDbClient, eventBridgeClient, sqsClient } from '../../src/adapters/aws-clients.ts';
import { actionsTogether } from '../../src/adapters/dynamodb/actions-together.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { failurePeriods } from '../../src/adapters/dynamodb/failure-periods.ts';
import { endpointFailing } from '../../src/adapters/event-bus.ts';
import { deliveriesQueue } from '../../src/adapters/sqs/deliveries-queue.ts';
import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { deliveryMessage } from '../../src/contract/queues.ts';
import { deliverEvent } from '../../src/domain/delivery/deliver-event.ts';
import { functionSigningSecrets } from '../../src/functions/function-secrets.ts';
import { unlessEnded } from '../../src/functions/invocation.ts';
import { outboundFunction } from '../../src/functions/outbound-function.ts';
import { countFailed, deliveryReport } from '../../src/functions/reports.ts';
import { now, required } from '../../src/functions/shell.ts';
import { sqsBatchHandler } from '../../src/functions/sqs-batch.ts';

const dynamo = dynamoDb(dynamoDbClient());
const outbound = outboundFunction('dispatcher', process.env, dynamo, { queued: true });
const { logger, metrics } = outbound;
const beginReport = deliveryReport(logger, metrics, now);
const ports = {
  ...outbound.ports,
  ...failurePeriods(dynamo, {
    counters: required(process.env, ENVIRONMENT.countersTable),
    deliveryLog: required(process.env, ENVIRONMENT.deliveryLogTable),
  }),
  findAction: actionsTogether(dynamo, required(process.env, ENVIRONMENT.configurationTable)),
  ...functionSigningSecrets(process.env),
  ...deliveriesQueue(sqsClient(), required(process.env, ENVIRONMENT.deliveriesQueue)),
};
const signal = endpointFailing(eventBridgeClient(), required(process.env, ENVIRONMENT.eventBus));

export const handler = sqsBatchHandler(
  logger,
  (context, work) =>
    outbound.invocation(context, async ({ makeAttempt, ended }) => {
      const report = beginReport();
      const own = {
        ...ports,
        makeAttempt,
        sendLater: unlessEnded(ended, ports.sendLater),
        signal: report.signalWith(signal),
        attempted: report.attempted,
        watchFailed: report.watchFailed,
      };
      try {
        return await work((body, messageId) => deliverEvent(deliveryMessage.parse(body), messageId, own));
      } finally {
        report.publish();
      }
    }),
  { hideFor: ports.hideFor, failed: countFailed(metrics) },
);
