import { Duration, Fn } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { PAGES } from '#bundles';
import { METRICS_NAMESPACE } from '../src/deployment/metrics.ts';
import type { VaWaveProps } from './deployment-options.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/** The default period of the metrics that alarms evaluate. */
export const FIVE_MINUTES = Duration.minutes(5);

export type WatchedMetric = {
  /** Heading in docs/runbook.md. */
  readonly runbookEntry: string;
  /** Whether somebody must act at once, also at night. @default page */
  readonly severity?: 'page' | 'ticket';
  readonly metric: cloudwatch.IMetric;
  readonly threshold: number;
  /** Raises the alarm when the metric is below the threshold instead. @default false */
  readonly below?: boolean;
  /** @default 1 */
  readonly periods?: number;
  /** Number of these periods that must reach the threshold. @default all */
  readonly breachingPeriods?: number;
  /** How a period without a value counts. @default as good */
  readonly missingData?: cloudwatch.TreatMissingData;
  /** Whether a gradual release is rolled back while the alarm is raised. CodeDeploy takes ten alarms at most. @default false */
  readonly endsRelease?: boolean;
};

/** A fault raises an alarm when it lasts for two of three periods. */
export const LASTING = { periods: 3, breachingPeriods: 2 } as const;

/**
 * The alarm on errors needs five errors in five minutes, twice within a quarter of an hour. A single error is often a short fault of AWS: its
 * request was answered with a 500 and can be repeated, its message becomes visible again. A lasting fault produces dead letters, and the first
 * dead letter raises an alarm.
 */
export const LASTING_ERRORS = { threshold: 5, ...LASTING } as const;

export type ErrorRule = Required<Pick<WatchedMetric, 'threshold' | 'periods' | 'breachingPeriods'>>;
export type AlarmsProps = Pick<VaWaveProps, 'alarmTopic' | 'ticketTopic' | 'addressOfFiles'>;

/** Creates the alarms of the features, each in the scope of its feature. */
export class Alarms extends Construct {
  readonly #topics: Readonly<Record<'page' | 'ticket', ITopic | undefined>>;
  readonly #runbook: string;
  readonly all: cloudwatch.Alarm[] = [];
  readonly ofRelease: cloudwatch.Alarm[] = [];

  constructor(scope: Construct, id: string, { alarmTopic, ticketTopic = alarmTopic, addressOfFiles }: AlarmsProps) {
    super(scope, id);
    this.#runbook = `${addressOfFiles ? `${addressOfFiles}docs` : PAGES}/runbook.md`;
    this.#topics = { page: alarmTopic, ticket: ticketTopic };
  }

  raise(scope: Construct, id: string, { metric, threshold, severity = 'page', periods = 1, ...rule }: WatchedMetric) {
    const alarm = new cloudwatch.Alarm(scope, id, {
      alarmDescription: Fn.sub(
        `${severity}: \${AWS::StackName}, \${AWS::Region}, \${AWS::AccountId}, ${this.#runbook}#${rule.runbookEntry}`,
      ),
      metric,
      threshold,
      comparisonOperator: rule.below
        ? cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
        : cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: rule.breachingPeriods ?? periods,
      treatMissingData: rule.missingData ?? cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    this.all.push(alarm);
    if (rule.endsRelease) this.ofRelease.push(alarm);
    const topic = this.#topics[severity];
    if (topic === undefined) return;
    const notification = new SnsAction(topic);
    alarm.addAlarmAction(notification);
    alarm.addOkAction(notification);
  }

  /** AWS bills an alarm by its metrics: one per function would cost the same, and miss errors spread over several. */
  watch(scope: Construct, functions: readonly ServiceFunction[], rule: ErrorRule = LASTING_ERRORS): void {
    const period = FIVE_MINUTES;
    const feature = scope.node.id;
    const errors = sum(
      `${feature}: errors`,
      functions.map(({ fn }) => fn.metricErrors({ period })),
    );
    // A new version of a function on a schedule gets all invocations at once, so its errors have no release to end.
    const endsRelease = functions.some(({ invokedBy }) => invokedBy !== 'schedule');
    this.raise(scope, 'Errors', { runbookEntry: 'function-errors', metric: errors, endsRelease, ...rule });
  }

  /**
   * @param functions that wait for no customer's endpoint: Lambda refuses these only when the account has no free execution. Of others a customer's slow
   * endpoint may use up the reserved executions, which is no fault of the service
   */
  watchThrottles(scope: Construct, functions: readonly ServiceFunction[]): void {
    const throttles = functions.map(({ fn }) => fn.metricThrottles({ period: FIVE_MINUTES }));
    // Visitors reload pages. Throttling that lasts needs a larger quota.
    this.raise(scope, 'Throttles', {
      runbookEntry: 'throttles',
      metric: sum('Throttles', throttles),
      ...LASTING_ERRORS,
    });
  }

  /** @param functions at most ten that wait for no customer's endpoint. The API's own latency includes those that do */
  watchLatency(scope: Construct, functions: readonly ServiceFunction[]): void {
    const slowest = functions.map(
      ({ fn }, index) => [`p99of${index}`, fn.metricDuration({ period: FIVE_MINUTES, statistic: 'p99' })] as const,
    );
    this.raise(scope, 'Slow', {
      runbookEntry: 'slow-answers',
      metric: new cloudwatch.MathExpression({
        expression: `MAX([${slowest.map(([name]) => name).join(', ')}])`,
        label: `${scope.node.id}: p99 (ms)`,
        period: FIVE_MINUTES,
        usingMetrics: Object.fromEntries(slowest),
      }),
      threshold: SLOW_MILLISECONDS,
      ...LASTING,
      endsRelease: true,
    });
  }
}

/** A response time in milliseconds that visitors notice. */
const SLOW_MILLISECONDS = 2000;

/** Sums metrics, at most ten, the limit for the expression of an alarm. @param label names the sum, and also the metrics in it */
export function sum(
  label: string,
  metrics: readonly cloudwatch.IMetric[],
  period = FIVE_MINUTES,
): cloudwatch.MathExpression {
  const prefix = label.toLowerCase().replace(/[^a-z]/g, '');
  const metricsByName = metrics.map((metric, index) => [`${prefix}${index}`, metric] as const);
  return new cloudwatch.MathExpression({
    // A metric without a value counts as zero. Otherwise the sum would have no value either.
    expression: metricsByName.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    label,
    period,
    usingMetrics: Object.fromEntries(metricsByName),
  });
}

/** Pieces of work in a period from which on an alarm on faults compares their share. */
const MUCH_WORK = 5000;

/** Counts faults of the service, and with much work as those of 5000 pieces of it, so that an alarm means the same at every load. */
export function faultsOf(label: string, faults: cloudwatch.IMetric, work: cloudwatch.IMetric) {
  return new cloudwatch.MathExpression({
    expression: `faults * ${MUCH_WORK} / IF(FILL(work, 0) > ${MUCH_WORK}, work, ${MUCH_WORK})`,
    label,
    period: FIVE_MINUTES,
    usingMetrics: { faults, work },
  });
}

export function ownMetric({ service }: Stage, metricName: string, statistic = 'Sum', period = FIVE_MINUTES) {
  return new cloudwatch.Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { service },
    statistic,
    period,
  });
}
