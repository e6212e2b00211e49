import { Duration } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/contract/environment.ts';
import { DELIVERED_EVENTS } from '../src/contract/events.ts';
import type { Alarms } from './alarms.ts';
import type { ServiceFunction } from './service-function.ts';

/** How a queue hands a message out again whose work failed, or was cut off. */
type Redelivery = {
  /** How long a message that was received is out of sight. Longer than the function's timeout. */
  readonly visibilityTimeout: Duration;
  /** A message comes back this often before it counts as our own fault and goes to the dead-letter queue. */
  readonly maxReceives: number;
};

/** AWS asks for at least six times the function's timeout, so that a slow batch is not handed out a second time. */
const ROUTER_VISIBILITY_FACTOR = 6;
const ROUTER_MAX_RECEIVES = 5;

/**
 * What a crash of the dispatcher costs the messages that it was working on. A message that is handed out twice is sent once, because its
 * attempt is claimed; so this only has to exceed CUT_OFF_SECONDS, which exceed the function's timeout. Messages come back three times as often as from the other queue, so that trouble of ours may last as long.
 */
const DELIVERIES: Redelivery = { visibilityTimeout: Duration.seconds(30), maxReceives: 15 };

/** Retries take six seconds and a poll at most twenty; an older message waits for something that does not work. */
const OLD_MESSAGE_SECONDS = 300;

type WorkQueueProps = Redelivery & { readonly alarms: Alarms };

/** A queue with its dead-letter queue, both encrypted and reachable over TLS only. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: props.visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },
    });
    const period = Duration.minutes(1);
    props.alarms.raise(this, 'DeadLettersWaiting', {
      runbookEntry: 'dead-letters',
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period }),
      threshold: 1,
    });
    props.alarms.raise(this, 'OldMessages', {
      runbookEntry: 'old-messages',
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period }),
      threshold: OLD_MESSAGE_SECONDS,
      // A burst that is worked off within minutes is the queue's business.
      periods: 3,
    });
  }

  /** Feeds the function in batches of ten; items that it reports as failed come back alone. */
  feeds(fn: ServiceFunction, options: { readonly maxConcurrency: number }): void {
    fn.fn.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 10,
        reportBatchItemFailures: true,
        maxConcurrency: options.maxConcurrency,
      }),
    );
  }
}

export type MessagingProps = {
  readonly routerTimeout: Duration;
  readonly alarms: Alarms;
};

/** From the bus to the deliveries queue. */
export class Messaging extends Construct {
  readonly bus: EventBus;
  readonly events: WorkQueue;
  readonly deliveries: WorkQueue;

  constructor(scope: Construct, id: string, { routerTimeout, alarms }: MessagingProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { description: 'Platform lifecycle events of va-wave' });
    this.events = new WorkQueue(this, 'Events', {
      visibilityTimeout: Duration.seconds(routerTimeout.toSeconds() * ROUTER_VISIBILITY_FACTOR),
      maxReceives: ROUTER_MAX_RECEIVES,
      alarms,
    });
    this.deliveries = new WorkQueue(this, 'Deliveries', { ...DELIVERIES, alarms });
    new Rule(this, 'CatalogEvents', {
      eventBus: this.bus,
      description: 'The events that fire; reserved names never pass',
      eventPattern: { detailType: [...DELIVERED_EVENTS] },
      targets: [
        new SqsQueue(this.events.queue, {
          // SQS fair queues: an organization with a million events does not delay the others.
          messageGroupId: '$.detail.org_id',
          deadLetterQueue: this.events.deadLetters,
        }),
      ],
    });
  }

  allowPutEvents(fn: ServiceFunction): void {
    fn.allow({
      actions: ['events:PutEvents'],
      resources: [this.bus.eventBusArn],
      environment: { [ENVIRONMENT.eventBus]: this.bus.eventBusName },
    });
  }

  allowSendDeliveries(fn: ServiceFunction): void {
    fn.allow({
      actions: ['sqs:SendMessage'],
      resources: [this.deliveries.queue.queueArn],
      environment: { [ENVIRONMENT.deliveriesQueue]: this.deliveries.queue.queueUrl },
    });
  }
}
