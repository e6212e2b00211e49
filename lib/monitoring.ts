import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRICS, METRICS_NAMESPACE, METRICS_SERVICE } from '../src/contract/metrics.ts';
import type { WorkQueue } from './messaging.ts';
import type { ServiceFunction } from './service-function.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** The unit in which a dashboard counts its columns. */
const DASHBOARD_WIDTH = 24;
/** Retries take six seconds and a poll at most twenty; an older message waits for something that does not work. */
const OLD_MESSAGE_SECONDS = 300;
/** A customer's endpoint cannot cause these; a handful in five minutes is more than a bad moment of AWS. */
const SERVER_ERRORS = 5;

export type MonitoringProps = {
  /** By group, at most ten each: an alarm's expression takes no more metrics. */
  readonly functions: Readonly<Record<string, readonly ServiceFunction[]>>;
  readonly queues: Readonly<Record<string, WorkQueue>>;
  readonly api: HttpApi;
  /** SNS topic that alarms are sent to. @default alarms change their state and tell nobody */
  readonly alarmTopicArn?: string;
};

/** Alarms, each with its entry in docs/runbook.md, and one dashboard. */
export class Monitoring extends Construct {
  readonly #topic: ITopic | undefined;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.#topic =
      props.alarmTopicArn === undefined ? undefined : Topic.fromTopicArn(this, 'AlarmTopic', props.alarmTopicArn);
    const serverErrors = props.api.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' });
    const logWriteFailed = ownMetric(METRICS.logWriteFailed, FIVE_MINUTES);
    const faults: IMetric[] = [logWriteFailed];

    for (const [name, { queue, deadLetters }] of Object.entries(props.queues)) {
      const dead = deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) });
      this.#alarm(`${name}DeadLetters`, 'dead-letters', dead, 1);
      const age = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) });
      this.#alarm(`${name}Age`, 'old-messages', age, OLD_MESSAGE_SECONDS);
    }
    for (const [group, functions] of Object.entries(props.functions)) {
      const errors = sum(
        `${group}: errors`,
        functions.map(({ fn }) => fn.metricErrors({ period: FIVE_MINUTES })),
      );
      const throttles = sum(
        `${group}: throttles`,
        functions.map(({ fn }) => fn.metricThrottles({ period: FIVE_MINUTES })),
      );
      this.#alarm(`${group}Errors`, 'function-errors', errors, 1);
      faults.push(errors, throttles);
    }
    // Of the whole account, as the concurrency is that is then used up: one metric to pay for instead of one per function.
    this.#alarm('Throttles', 'throttles', LambdaFunction.metricAllThrottles({ period: FIVE_MINUTES }), 1);
    this.#alarm('ServerErrors', 'server-errors', serverErrors, SERVER_ERRORS);
    this.#alarm('LogWriteFailed', 'log-write-failed', logWriteFailed, 1);

    const queues = Object.values(props.queues);
    new Dashboard(this, 'Dashboard', {
      widgets: [
        row({
          'Attempts by outcome': [sumsBy('outcome', METRICS.attempts)],
          'Attempts by number': [sumsBy('attempt', METRICS.attempts)],
          'Latency of attempts (ms)': ['p50', 'p99'].map((statistic) =>
            ownMetric(METRICS.attemptLatency, FIVE_MINUTES, statistic),
          ),
          // No alarm: an endpoint is its owner's to mend, and the bus tells whoever wants to tell the owner (docs/runbook.md).
          'Endpoints that have failed for an hour': [ownMetric(METRICS.endpointsFailing, Duration.hours(1))],
        }),
        row({
          Requests: [props.api.metricCount(), props.api.metricClientError(), serverErrors],
          'Refusals by reason': [sumsBy('reason', METRICS.refusals)],
          'Latency (ms)': [
            props.api.metricLatency({ statistic: 'p50' }),
            props.api.metricLatency({ statistic: 'p99' }),
          ],
        }),
        row({
          'Our own faults': faults,
          'Oldest message (s)': queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage()),
          'Dead letters': queues.map(({ deadLetters }) => deadLetters.metricApproximateNumberOfMessagesVisible()),
        }),
      ],
    });
  }

  #alarm(id: string, runbookEntry: string, metric: IMetric, threshold: number): void {
    const alarm = new Alarm(this, id, {
      alarmDescription: `docs/runbook.md#${runbookEntry}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.#topic !== undefined) alarm.addAlarmAction(new SnsAction(this.#topic));
  }
}

/** Graphs beside each other, as wide as the dashboard, by title. */
function row(graphs: Readonly<Record<string, readonly IMetric[]>>): GraphWidget[] {
  const entries = Object.entries(graphs);
  return entries.map(
    ([title, left]) => new GraphWidget({ title, left: [...left], width: DASHBOARD_WIDTH / entries.length }),
  );
}

/** A line for each value of a dimension that has been seen. */
function sumsBy(dimension: string, metricName: string): IMetric {
  return new MathExpression({
    expression: `SEARCH('{${METRICS_NAMESPACE},${dimension},service} MetricName="${metricName}"', 'Sum', 300)`,
    label: '',
    usingMetrics: {},
  });
}

function ownMetric(metricName: string, period: Duration, statistic = 'Sum'): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { service: METRICS_SERVICE },
    statistic,
    period,
  });
}

/** @param label names the sum, and the metrics below it */
function sum(label: string, metrics: readonly IMetric[]): IMetric {
  const prefix = label.toLowerCase().replace(/[^a-z]/g, '');
  const named = metrics.map((metric, index) => [`${prefix}${index}`, metric] as const);
  return new MathExpression({
    // What reported nothing counts as nothing; a sum with a gap in it would be a gap.
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    label,
    period: FIVE_MINUTES,
    usingMetrics: Object.fromEntries(named),
  });
}
