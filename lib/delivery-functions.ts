import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { METRICS } from '../src/deployment/metrics.ts';
import { FIVE_MINUTES, faultsOf, LASTING, LASTING_ERRORS, ownMetric } from './alarms.ts';
import type { Concurrency } from './concurrency.ts';
import { type Foundation, featureFunction } from './foundation.ts';
import { ROUTER_TIMEOUT } from './messaging.ts';

/** The attempts of a batch are concurrent, so the timeout covers one attempt of 5 seconds with its claim, its record and its retry message. */
const DISPATCHER_TIMEOUT = Duration.seconds(15);
/** Endpoints of single customers often fail. If half of all organizations fail at the same time, the service's own network is the likely cause. */
const UNREACHED_SHARE = 0.5;

export type DeliveryFunctionsProps = Foundation & {
  readonly concurrency: Concurrency;
};

/** The router and the dispatcher: they take an event from the events queue to the endpoints of the subscribed Actions. */
export class DeliveryFunctions extends Construct {
  constructor(scope: Construct, id: string, props: DeliveryFunctionsProps) {
    super(scope, id);
    const { stage, alarms, messaging, network, concurrency } = props;
    const router = featureFunction(this, 'EventRouter', props, {
      folder: 'event-router',
      description: 'Turns an event into one delivery per subscribed Action',
      timeout: ROUTER_TIMEOUT,
      invokedBy: 'message',
      tableCalls: {
        configuration: ['BatchGetItem', 'Query'],
        deliveryLog: ['PartiQLInsert'], // For a delivery whose payload no message can carry.
      },
    });
    messaging.allowSendDeliveries(router);
    messaging.events.feeds(router, concurrency.router);
    // The event source allows it to hide messages of the queue.
    router.fn.addEnvironment(ENVIRONMENT.eventsQueue, messaging.events.queue.queueUrl);
    const dispatcher = featureFunction(this, 'Dispatcher', props, {
      folder: 'dispatcher',
      description: 'Makes one attempt per message to the endpoint of an Event Action',
      timeout: DISPATCHER_TIMEOUT,
      invokedBy: 'message',
      // It sends the message of a retry. Lambda would end a chain of about sixteen invocations, but it counts by a header of the invocation, which has the
      // messages of many deliveries. The number of attempts in the message bounds each chain.
      recursiveLoop: RecursiveLoop.ALLOW,
      ...network,
      tableCalls: {
        configuration: ['BatchGetItem'],
        counters: ['UpdateItem'],
        deliveryLog: ['BatchGetItem', 'Query', 'PartiQLInsert', 'PartiQLUpdate'],
      },
      secrets: ['sealingKey'],
    });
    messaging.allowSendDeliveries(dispatcher);
    messaging.allowPutEvents(dispatcher); // For the event about an endpoint that has failed for an hour.
    messaging.deliveries.feeds(dispatcher, concurrency.dispatcher);
    alarms.watch(this, [router, dispatcher]);
    alarms.raise(this, 'FailedMessages', {
      runbookEntry: 'failed-messages',
      // A batch reports its failed messages in its answer, so Lambda counts no error.
      metric: faultsOf(
        'Receives of messages that failed',
        ownMetric(stage, METRICS.failedMessages),
        messaging.deliveries.queue.metricNumberOfMessagesReceived({ period: FIVE_MINUTES }),
      ),
      ...LASTING_ERRORS,
      endsRelease: true,
    });
    alarms.raise(this, 'UnreachedOrganizations', {
      runbookEntry: 'unreached-organizations',
      metric: ownMetric(stage, METRICS.unreachedOrganizations, 'Average'),
      threshold: UNREACHED_SHARE,
      ...LASTING,
    });
    alarms.raise(this, 'EventsDropped', {
      runbookEntry: 'events-dropped',
      severity: 'ticket',
      metric: ownMetric(stage, METRICS.eventsDropped),
      threshold: 1,
    });
  }
}
