import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { Dashboard, GraphWidget, type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { METRICS, METRICS_NAMESPACE } from '../src/contract/metrics.ts';
import { type Alarms, FIVE_MINUTES, LASTING_ERRORS, ownMetric } from './alarms.ts';
import type { Canary } from './canary.ts';
import type { Messaging } from './messaging.ts';

/** The unit in which a dashboard counts its columns. */
const DASHBOARD_WIDTH = 24;

export type MonitoringProps = {
  readonly alarms: Alarms;
  readonly messaging: Messaging;
  readonly api: HttpApi;
  readonly distribution: IDistribution;
  /** @default none */
  readonly canary: Canary | undefined;
};

/** One dashboard over all features, and the alarms that are about none of them alone. Each feature raises its own. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, { alarms, messaging, api, distribution, canary }: MonitoringProps) {
    super(scope, id);
    const serverErrors = api.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' });
    const unreadableActions = ownMetric(METRICS.unreadableActions, FIVE_MINUTES);
    const logWriteFailed = ownMetric(METRICS.logWriteFailed, FIVE_MINUTES);
    alarms.raise(this, 'Throttles', {
      runbookEntry: 'throttles',
      // Of the whole account, as the concurrency is that is then used up: one metric to pay for instead of one per function.
      metric: LambdaFunction.metricAllThrottles({ period: FIVE_MINUTES }),
      // Queues try again by themselves, and a widget's page is loaded again; what lasts needs a larger quota.
      ...LASTING_ERRORS,
    });
    alarms.raise(this, 'UnreadableActions', {
      runbookEntry: 'unreadable-actions',
      metric: unreadableActions,
      threshold: 1,
    });
    alarms.raise(this, 'LogWriteFailed', { runbookEntry: 'log-write-failed', metric: logWriteFailed, threshold: 1 });

    const queues = [messaging.events, messaging.deliveries];
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
          Requests: [api.metricCount(), api.metricClientError(), serverErrors],
          'Refusals by reason': [sumsBy('reason', METRICS.refusals)],
          'Latency (ms)': [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })],
        }),
        row({
          'Organizations not reached (share)': [ownMetric(METRICS.unreachedOrganizations, FIVE_MINUTES, 'Average')],
          'Events dropped': [ownMetric(METRICS.eventsDropped, FIVE_MINUTES)],
          'Age of the token key (days)': [ownMetric(METRICS.tokenKeyAge, Duration.days(1), 'Maximum')],
          'CloudFront: 5xx (%)': [edgeErrors(distribution)],
          ...(canary === undefined ? {} : { 'Canary: failures': [canary.failures] }),
        }),
        row({
          'Our own faults': [logWriteFailed, unreadableActions, ...alarms.faults],
          'Oldest message (s)': queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage()),
          'Dead letters': queues.map(({ deadLetters }) => deadLetters.metricApproximateNumberOfMessagesVisible()),
        }),
      ],
    });
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

/** CloudFront's metrics are in one region, wherever the stack is: a graph reaches them, an alarm of another region does not. */
function edgeErrors({ distributionId }: IDistribution): Metric {
  return new Metric({
    namespace: 'AWS/CloudFront',
    metricName: '5xxErrorRate',
    dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
    region: 'us-east-1',
    statistic: 'Average',
    period: FIVE_MINUTES,
  });
}
