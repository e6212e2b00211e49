import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE, METRICS_SERVICE } from '../src/contract/metrics.ts';
import type { ServiceFunction } from './service-function.ts';

/** The period of every metric that is watched, unless it says otherwise. */
export const FIVE_MINUTES = Duration.minutes(5);

export type WatchedMetric = {
  /** Heading of docs/runbook.md that says what to do. */
  readonly runbookEntry: string;
  readonly metric: IMetric;
  /** The alarm is raised when the metric reaches it. */
  readonly threshold: number;
  /** How many periods are looked at. @default 1 */
  readonly periods?: number;
  /** In how many of them the threshold has to be reached. @default all */
  readonly breaching?: number;
  /** What a period without any value counts as. @default good */
  readonly missing?: TreatMissingData;
};

/**
 * Errors that wake somebody: five in five minutes, twice in a quarter of an hour. One error is a bad moment of AWS: its request was
 * answered 500 and may be made again, its message comes back. What does not get better by itself ends among the dead letters, which
 * raise an alarm at the first.
 */
export const LASTING_ERRORS = { threshold: 5, periods: 3, breaching: 2 } as const;

export type Lasting = Required<Pick<WatchedMetric, 'threshold' | 'periods' | 'breaching'>>;

export type AlarmsProps = {
  /** SNS topic that alarms are sent to. @default alarms change their state and tell nobody */
  readonly topicArn: string | undefined;
  /** The emulator of test/deploy has no alarms over sums of metrics, so there are none there. */
  readonly emulated: boolean;
};

/** Makes the alarms of the features, each in the scope of the feature that it is about. */
export class Alarms extends Construct {
  readonly #topic: ITopic | undefined;
  readonly #emulated: boolean;
  readonly #faults: IMetric[] = [];

  constructor(scope: Construct, id: string, { topicArn, emulated }: AlarmsProps) {
    super(scope, id);
    this.#emulated = emulated;
    this.#topic = topicArn === undefined ? undefined : Topic.fromTopicArn(this, 'Topic', topicArn);
  }

  /** Errors and throttles of the functions that are watched, for the graph of our own faults. */
  get faults(): readonly IMetric[] {
    return this.#faults;
  }

  raise(
    scope: Construct,
    id: string,
    {
      runbookEntry,
      metric,
      threshold,
      periods = 1,
      breaching = periods,
      missing = TreatMissingData.NOT_BREACHING,
    }: WatchedMetric,
  ): void {
    if (this.#emulated) return;
    const alarm = new Alarm(scope, id, {
      alarmDescription: `docs/runbook.md#${runbookEntry}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: breaching,
      treatMissingData: missing,
    });
    if (this.#topic !== undefined) alarm.addAlarmAction(new SnsAction(this.#topic));
  }

  /**
   * Raises one alarm over the errors of a feature's functions: an alarm is paid by the metric, so one for each would cost the same
   * and tell less.
   * @param functions at most ten, which is what the expression of an alarm takes
   */
  watch(scope: Construct, functions: readonly ServiceFunction[], lasting: Lasting = LASTING_ERRORS): void {
    const period = FIVE_MINUTES;
    const feature = scope.node.id;
    const errors = sum(
      `${feature}: errors`,
      functions.map(({ fn }) => fn.metricErrors({ period })),
    );
    const throttles = sum(
      `${feature}: throttles`,
      functions.map(({ fn }) => fn.metricThrottles({ period })),
    );
    this.#faults.push(errors, throttles);
    this.raise(scope, 'Errors', { runbookEntry: 'function-errors', metric: errors, ...lasting });
  }
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

/** A metric that the functions emit themselves. */
export function ownMetric(metricName: string, period: Duration, statistic = 'Sum'): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { service: METRICS_SERVICE },
    statistic,
    period,
  });
}
