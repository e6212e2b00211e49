import { Duration, Lazy, Names } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Archive, EventBus, EventField, type IEventBus, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DELIVERED_EVENTS, ENDPOINT_FAILING, EVENT_NAMES } from '../src/contract/events.ts';
import { EVENT_GROUP_PATH } from '../src/contract/queues.ts';
import { RETENTION_DAYS } from '../src/contract/retention.ts';
import { INVOCATIONS_PER_POLLER, MAPPING_MAX } from '../src/deployment/capacity.ts';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { type Alarms, FIVE_MINUTES, LASTING_ERRORS, sum } from './alarms.ts';
import { encrypt } from './own-key.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/** At most ten events or six megabytes, each event to fifty Actions: at most three hundred batches of one megabyte. */
export const ROUTER_TIMEOUT = Duration.seconds(25);
/** Settings of the events queue. AWS recommends a visibility timeout of at least six times the timeout of the function, because Lambda may have received a batch that it then throttles. */
const EVENTS = { visibilityTimeout: Duration.seconds(6 * ROUTER_TIMEOUT.toSeconds()), maxReceives: 25 };

/**
 * Settings of the deliveries queue. A message becomes visible again after this time when the dispatcher crashes or cannot read it. A message that is
 * delivered twice causes one request, because its attempt is claimed. So the time only has to exceed CUT_OFF_SECONDS (src/contract/queues.ts), which
 * exceeds the timeout of the function. After another fault, both functions hide a message for a pause that grows (src/functions/sqs-batch.ts): 25 receives last five hours.
 */
const DELIVERIES = { visibilityTimeout: Duration.seconds(30), maxReceives: 25 };
/** The age in seconds at which a message shows a fault. Retries take six seconds, and a poll takes at most twenty. */
const OLD_MESSAGE_SECONDS = 300;
/** The backlog of one busy or hanging tenant delays no other and ends by itself, but not if it grows for an hour. */
const OLD_MESSAGE_OF_ANY_GROUP_SECONDS = 3600;

type WorkQueueProps = {
  readonly stage: Stage;
  /** Exceeds the timeout of the function. */
  readonly visibilityTimeout: Duration;
  readonly maxReceives: number;
  readonly alarms: Alarms;
};

/** A queue with its dead-letter queue. Both are encrypted and accept TLS only. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(RETENTION_DAYS.dead_letters),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(RETENTION_DAYS.queues),
      visibilityTimeout: props.visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },
    });
    // The operator's key, if there is one, replaces that of SQS.
    for (const queue of [this.deadLetters, this.queue]) encrypt(queue, props.stage.encryptionKey);
    const period = Duration.minutes(1);
    props.alarms.raise(this, 'DeadLettersWaiting', {
      runbookEntry: 'dead-letters',
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period }),
      threshold: 1,
    });
    props.alarms.raise(this, 'DeadLettersGrow', {
      runbookEntry: 'dead-letters',
      // The other alarm stays raised while a message waits, so it tells nobody of the next one.
      metric: new MathExpression({
        expression: 'DIFF(waiting)',
        label: 'more dead letters than a minute before',
        period,
        usingMetrics: { waiting: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period }) },
      }),
      threshold: 1,
    });
    props.alarms.raise(this, 'OldMessages', {
      runbookEntry: 'old-messages',
      metric: this.queue.metric('ApproximateAgeOfOldestMessageInQuietGroups', { period, statistic: 'Maximum' }),
      threshold: OLD_MESSAGE_SECONDS,
      // A burst that is processed within minutes raises no alarm.
      periods: 3,
    });
    props.alarms.raise(this, 'OldMessagesOfAnyGroup', {
      runbookEntry: 'old-messages',
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period }),
      severity: 'ticket', // A tenant alone can send more than is delivered.
      threshold: OLD_MESSAGE_OF_ANY_GROUP_SECONDS,
      periods: 3,
    });
  }

  /**
   * Invokes the function with batches of ten messages. Only the messages that it reports as failed become visible again. Above the maximum of a
   * plain mapping, provisioned pollers bound the concurrency. AWS documents no way to take them off a mapping of SQS again.
   */
  feeds(fn: ServiceFunction, maxConcurrency: number): void {
    const maximumPollers = maxConcurrency / INVOCATIONS_PER_POLLER;
    fn.callable.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 10,
        reportBatchItemFailures: true,
        ...(maxConcurrency <= MAPPING_MAX
          ? { maxConcurrency }
          : { provisionedPollerConfig: { minimumPollers: POLLERS_MIN, maximumPollers } }),
      }),
    );
  }
}

/**
 * The fewest pollers of a mapping (https://docs.aws.amazon.com/lambda/latest/api/API_ProvisionedPollerConfig.html). Each that is ready costs money, and
 * Lambda adds those of a thousand invocations a minute.
 */
const POLLERS_MIN = 2;

export type MessagingProps = {
  readonly stage: Stage;
  readonly alarms: Alarms;
  /** @default a new bus */
  readonly bus: IEventBus | undefined;
  /** Sources of which an unknown name of an event is an error. @default every source of a new bus, and none of another */
  readonly sources: readonly string[] | undefined;
  /** Days for which an archive keeps the events of the catalog. @default no archive */
  readonly archiveDays: number | undefined;
};

/** Fair queues treat all events with unknown names as one group. So a platform that sends a million of them delays no organization. */
const UNKNOWN_NAMES_GROUP = 'unknown-names';

export class Messaging extends Construct {
  readonly bus: IEventBus;
  readonly events: WorkQueue;
  readonly deliveries: WorkQueue;

  constructor(scope: Construct, id: string, { stage, alarms, bus, sources, archiveDays }: MessagingProps) {
    super(scope, id);
    this.bus =
      bus ??
      new EventBus(this, 'Bus', {
        description: 'Platform lifecycle events of va-wave',
        // By default the name begins with the stack's id, and stacks of the same id but other names would want the same bus. This one begins with its name.
        eventBusName: Lazy.string({ produce: () => Names.uniqueResourceName(this.bus, {}) }),
      });
    this.events = new WorkQueue(this, 'Events', { ...EVENTS, stage, alarms });
    this.deliveries = new WorkQueue(this, 'Deliveries', { ...DELIVERIES, stage, alarms });
    const catalog = new Rule(this, 'CatalogEvents', {
      eventBus: this.bus,
      description: 'Events that reach Actions, without reserved names',
      eventPattern: { detailType: [...DELIVERED_EVENTS] },
      targets: [
        new SqsQueue(this.events.queue, {
          messageGroupId: EVENT_GROUP_PATH,
          // SQS refuses a group that a publisher has written wrongly. The event then comes without a group, and the router reports it.
          deadLetterQueue: this.events.queue,
        }),
      ],
    });
    // Others put events of their own on a bus that exists.
    const rules = bus !== undefined && sources === undefined ? [catalog] : [catalog, this.#unknownNames(sources)];
    // These metrics are sent only when they are not zero (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html).
    const metricOf = ({ ruleName }: Rule, metricName: string) =>
      new Metric({
        namespace: 'AWS/Events',
        metricName,
        dimensionsMap: { EventBusName: this.bus.eventBusName, RuleName: ruleName },
        statistic: 'Sum',
        period: FIVE_MINUTES,
      });
    // An event that the queue refuses without a group too, because of its size, the key or the policy, is in no queue.
    alarms.raise(this, 'EventsNotQueued', {
      runbookEntry: 'events-missing',
      metric: sum('FailedInvocations', [
        ...rules.map((rule) => metricOf(rule, 'FailedInvocations')),
        metricOf(catalog, 'InvocationsFailedToBeSentToDlq'),
      ]),
      threshold: 1,
    });
    alarms.raise(this, 'RulesThrottled', {
      runbookEntry: 'events-missing',
      severity: 'ticket', // The account's other rules share the quota, and EventBridge tries again for a day.
      metric: sum(
        'ThrottledRules',
        rules.map((rule) => metricOf(rule, 'ThrottledRules')),
      ),
      ...LASTING_ERRORS,
    });
    if (archiveDays !== undefined) {
      const archive = new Archive(this, 'Archive', {
        sourceEventBus: this.bus,
        description: 'Events of the catalog, for a replay',
        eventPattern: { detailType: [...DELIVERED_EVENTS] },
        retention: Duration.days(archiveDays),
      });
      encrypt(archive, stage.encryptionKey);
    }
  }

  #unknownNames(sources: readonly string[] | undefined): Rule {
    return new Rule(this, 'UnknownNames', {
      eventBus: this.bus,
      description: 'Events that no Action can select; the router reports them as dropped',
      eventPattern: {
        source: sources && [...sources],
        detailType: Match.anythingBut(...EVENT_NAMES, ENDPOINT_FAILING),
      },
      targets: [
        new SqsQueue(this.events.queue, {
          messageGroupId: UNKNOWN_NAMES_GROUP,
          // Without `detail`, it is malformed for every version of the router, which drops and reports it. With it, the router would keep it as an
          // event of a newer catalog. And its payload reaches no queue.
          message: RuleTargetInput.fromObject({
            id: EventField.eventId,
            'detail-type': EventField.detailType,
            source: EventField.source,
            account: EventField.account,
          }),
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
