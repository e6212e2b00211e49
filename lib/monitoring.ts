import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IDistribution } from 'aws-cdk-lib/aws-cloudfront';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { METRICS, METRICS_NAMESPACE } from '../src/deployment/metrics.ts';
import { FIVE_MINUTES, faultsOf, LASTING, ownMetric } from './alarms.ts';
import type { Canary } from './canary.ts';
import type { Foundation } from './foundation.ts';
import { CLOUDFRONT_REGION, type Stage } from './stage.ts';

/** The part of the account's concurrency whose use leaves time to request more before functions are throttled. */
const CONCURRENCY_IN_USE = 0.8;
const DASHBOARD_WIDTH = 24; // CloudWatch's units.

/** Saved queries of Logs Insights over the logs of all functions. docs/runbook.md names them. */
const QUERIES = {
  Errors: 'level = "ERROR"',
  // Messages that wait for an attempt in progress or for DynamoDB have other lines.
  FailedMessages: 'message like /failed and becomes visible again/',
  // Each failed attempt has this line, a successful one has none. A message that makes no attempt has another outcome.
  FailedDeliveries: 'message = "Attempted" and outcome = "failed"',
} as const;

export type MonitoringProps = Foundation & {
  readonly api: HttpApi;
  readonly distribution: IDistribution;
  readonly logs: readonly ILogGroup[];
  readonly canary: Canary | undefined;
  readonly accountConcurrency: number;
};

/** The CloudWatch dashboard of all features, the saved queries, and the alarms that belong to no single feature. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { stage, alarms, messaging, api, distribution, canary } = props;
    const unreadableActions = ownMetric(stage, METRICS.unreadableActions);
    const logWriteFailed = ownMetric(stage, METRICS.logWriteFailed);
    alarms.raise(this, 'AccountConcurrency', {
      runbookEntry: 'account-concurrency',
      severity: 'ticket', // The functions of other services in the account count too.
      metric: lambda.Function.metricAllConcurrentExecutions({ period: FIVE_MINUTES, statistic: 'Maximum' }),
      threshold: Math.floor(CONCURRENCY_IN_USE * props.accountConcurrency),
      ...LASTING,
    });
    alarms.raise(this, 'UnreadableActions', {
      runbookEntry: 'unreadable-actions',
      severity: 'ticket',
      metric: unreadableActions,
      threshold: 1,
    });
    alarms.raise(this, 'LogWriteFailed', {
      runbookEntry: 'log-write-failed',
      metric: faultsOf(
        'Delivery records that were lost',
        logWriteFailed,
        ownMetric(stage, METRICS.attemptLatency, 'SampleCount'),
      ),
      threshold: 1,
    });

    for (const [name, filterStatements] of Object.entries(QUERIES)) {
      new QueryDefinition(this, name, {
        queryDefinitionName: `${stage.service}/${name}`,
        queryString: new QueryString({
          fields: [
            '@timestamp',
            'service',
            'message',
            'cause.error',
            'cause.code',
            'cause.message',
            'outcome',
            'failure_code',
            'status',
            'function_request_id',
            'event_id',
            'trigger',
            'reference',
            'api_request_id',
            'action_id',
          ],
          filterStatements: [filterStatements],
          sort: '@timestamp desc',
          limit: 1000,
        }),
        logGroups: [...props.logs],
      });
    }
    const queues = [messaging.events, messaging.deliveries];
    new cloudwatch.Dashboard(this, 'Dashboard', {
      widgets: [
        [
          new cloudwatch.AlarmStatusWidget({
            alarms: [...alarms.all],
            title: 'Alarms',
            width: DASHBOARD_WIDTH,
            height: 6,
          }),
        ],
        row({
          'Attempts by outcome': [sumsBy(stage, 'outcome', METRICS.attempts)],
          'Attempts by number': [sumsBy(stage, 'attempt', METRICS.attempts)],
          'Latency of attempts (ms)': ['p50', 'p99'].map((statistic) =>
            ownMetric(stage, METRICS.attemptLatency, statistic),
          ),
          // There is no alarm, because only the customer can repair the endpoint. An event on the bus lets the operator inform the customer (docs/runbook.md).
          'Endpoints that have failed for an hour': [
            ownMetric(stage, METRICS.endpointsFailing, 'Sum', Duration.hours(1)),
          ],
        }),
        row({
          Requests: [
            api.metricCount(),
            api.metricClientError(),
            api.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' }),
          ],
          'Refusals by reason': ['reason', 'token_problem'].map((dimension) =>
            sumsBy(stage, dimension, METRICS.refusals),
          ),
          'Attempts by trigger': [sumsBy(stage, 'trigger', METRICS.attempts)],
          'Latency (ms)': [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })],
        }),
        row({
          'Organizations not reached (share)': [ownMetric(stage, METRICS.unreachedOrganizations, 'Average')],
          // Events of nobody raise no alarm: a platform may send the events of organizations that do not use the service.
          'Events dropped, events of nobody': [METRICS.eventsDropped, METRICS.eventsOfNobody].map((metric) =>
            ownMetric(stage, metric),
          ),
          'Age of the token key (days)': [ownMetric(stage, METRICS.tokenKeyAge, 'Maximum', Duration.hours(1))],
          'CloudFront: 5xx (%)': [edgeErrors(distribution)],
          ...(canary === undefined ? {} : { 'Canary: failures': [canary.failures] }),
        }),
        row({
          'Our own faults': [
            logWriteFailed,
            unreadableActions,
            ownMetric(stage, METRICS.failedRequests),
            ownMetric(stage, METRICS.failedMessages),
            ownMetric(stage, METRICS.deliveriesThrottled),
          ],
          'Oldest message (s)': queues.flatMap(({ queue }) => [
            queue.metricApproximateAgeOfOldestMessage(),
            queue.metric('ApproximateAgeOfOldestMessageInQuietGroups', { statistic: 'Maximum' }),
          ]),
          'Noisy groups': queues.map(({ queue }) =>
            queue.metric('ApproximateNumberOfNoisyGroups', { statistic: 'Maximum' }),
          ),
          'Dead letters': queues.map(({ deadLetters }) => deadLetters.metricApproximateNumberOfMessagesVisible()),
        }),
      ],
    });
  }
}

/** Arranges graphs in one row of the dashboard, in which a width is a whole number. The keys are the titles. */
function row(graphs: Readonly<Record<string, readonly cloudwatch.IMetric[]>>): cloudwatch.GraphWidget[] {
  const entries = Object.entries(graphs);
  return entries.map(
    ([title, left]) =>
      new cloudwatch.GraphWidget({ title, left: [...left], width: Math.floor(DASHBOARD_WIDTH / entries.length) }),
  );
}

function sumsBy({ service }: Stage, dimension: string, metricName: string): cloudwatch.IMetric {
  return new cloudwatch.MathExpression({
    expression: `SEARCH('{${METRICS_NAMESPACE},${dimension},service} service="${service}" MetricName="${metricName}"', 'Sum', 300)`,
    label: '', // So that each line has the label of its own metric.
    usingMetrics: {},
  });
}

/** The share of a distribution's answers that are 5xx. A graph can show metrics of another region, but an alarm cannot evaluate them. */
function edgeErrors({ distributionId }: IDistribution): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'AWS/CloudFront',
    metricName: '5xxErrorRate',
    dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
    region: CLOUDFRONT_REGION,
    statistic: 'Average',
    period: FIVE_MINUTES,
  });
}
