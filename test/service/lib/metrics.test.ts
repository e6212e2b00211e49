import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import * as z from 'zod';
import { VaWave } from '../../../lib/va-wave.ts';
import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import type { Fact, FactOf } from '../../../src/domain/facts.ts';
import { ServiceError } from '../../../src/domain/service-error.ts';
import { factReporter } from '../../../src/functions/fact-reporter.ts';
import { functionLogger } from '../../../src/functions/invocation.ts';
import { FrozenClock } from '../../fakes/sources.ts';
import { restoreEnvironmentAfterEach } from '../../harness/environment.ts';
import { lambdaContext, logged } from '../../unit/lambdas/invocation.ts';

restoreEnvironmentAfterEach();
beforeEach(() => {
  process.env[ENVIRONMENT.metricsService] = 'Stack';
});

const OF_ATTEMPT = { action_id: 'action_1', reference: 'event_1', attempt: 2 };
const result = { status: null, response_excerpt: null, latency_ms: 12, success: false };
const attempted = (org_id: string): FactOf<'attempt_made'> => ({
  ...{
    kind: 'attempt_made',
    trigger: 'event',
    reference: 'event_1',
    org_id,
    site_id: 'site_1',
    action_id: 'action_1',
    outcome: 'failed',
  },
  attempt: 2,
  is_test: undefined,
  result: { ...result, error: { code: 'timeout', message: 'x' } },
});
const REFUSED = { route: 'POST /api/widget/init', site_id: undefined };
/** What makes the functions emit each metric. */
const FACTS: readonly Fact[] = [
  ...['org_1', 'org_2', 'org_3'].map(attempted),
  { ...attempted('org_1'), outcome: 'taken', result: null },
  { ...attempted('org_1'), trigger: 'form', attempt: 1 },
  { kind: 'request_failed', cause: undefined },
  { kind: 'request_refused', ...REFUSED, code: 'rate_limit_exceeded', status: 429 },
  { kind: 'request_refused', ...REFUSED, code: 'session_token_invalid', status: 401, token_problem: 'expired' },
  { kind: 'endpoint_failing', org_id: 'o', site_id: 's', action_id: 'a', failing_since: '', failure_code: 'timeout' },
  { kind: 'event_dropped', message_id: 'm', event_id: 'e', event: 'x', source: 's', account: 'a', field: '' },
  { kind: 'event_routed', event_id: 'e', event: 'x', org_id: 'o', site_id: null, deliveries: 0, unknown: 'org_id' },
  { kind: 'message_failed', message_id: 'm', seconds: 1, cause: undefined },
  { kind: 'message_waits', message_id: 'm', seconds: 1, why: 'throttled', cause: undefined },
  { kind: 'token_key_age', days: 3 },
  { kind: 'action_unreadable', action_id: 'a', cause: undefined },
  { kind: 'canary_ran', success: false, step: 'widget_init', problem: 'HTTP 500' },
  { kind: 'record_lost', at: '', replay: undefined, result: null, ...OF_ATTEMPT, cause: undefined },
];

const line = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** A metric by its namespace, name and dimensions. The service is the value of the function's environment. */
const described = (namespace: string, name: string, dimensions: readonly (readonly [string, unknown])[]) =>
  `${namespace} ${name} ${dimensions.map(([key, value]) => (key === 'service' ? key : `${key}=${value}`)).sort()}`;

const partsOf = (name: string, value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).map((part) => `${name}.${part}`) : [];

async function emitted(): Promise<readonly string[]> {
  const { log } = await logged(async () => {
    const { reportFact, publish } = factReporter(functionLogger('test'), new FrozenClock().now)();
    for (const fact of FACTS) reportFact(fact);
    publish();
  });
  const lines = log.split('\n').filter((text) => text.includes('"_aws"'));
  return lines.flatMap((text) => {
    const { _aws, ...values } = line.parse(JSON.parse(text));
    return _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
      Metrics.flatMap(({ Name }) =>
        Dimensions.map((names) =>
          described(
            Namespace,
            Name,
            names.map((name) => [name, values[name]]),
          ),
        ),
      ),
    );
  });
}

const chat = new VaWave(new Stack(new App(), 'Platform'), 'Chat');
const template = Template.fromStack(Stack.of(chat));
const METHODS: Readonly<Record<string, readonly [metric: IMetric, statistic: string]>> = {
  'attempts by outcome': [chat.metricAttempts({ outcome: 'timeout' }), 'Sum'],
  'attempts by number': [chat.metricAttempts({ attempt: 2 }), 'Sum'],
  'attempts by trigger': [chat.metricAttempts({ trigger: 'form' }), 'Sum'],
  metricAttemptLatency: [chat.metricAttemptLatency(), 'p99'],
  metricRefusals: [chat.metricRefusals('rate_limit_exceeded'), 'Sum'],
  metricEndpointsFailing: [chat.metricEndpointsFailing(), 'Sum'],
  metricUnreachedOrganizations: [chat.metricUnreachedOrganizations(), 'Average'],
  metricEventsDropped: [chat.metricEventsDropped(), 'Sum'],
  metricEventsOfNobody: [chat.metricEventsOfNobody(), 'Sum'],
  metricFailedRequests: [chat.metricFailedRequests(), 'Sum'],
  metricFailedMessages: [chat.metricFailedMessages(), 'Sum'],
  metricDeliveriesThrottled: [chat.metricDeliveriesThrottled(), 'Sum'],
  metricTokenKeyAge: [chat.metricTokenKeyAge(), 'Maximum'],
  metricUnreadableActions: [chat.metricUnreadableActions(), 'Sum'],
  metricCanaryFailed: [chat.metricCanaryFailed(), 'Maximum'],
  metricLogWriteFailed: [chat.metricLogWriteFailed(), 'Sum'],
};
const statOf = (metric: IMetric) => {
  const { metricStat } = metric.toMetricConfig();
  if (metricStat === undefined) throw new Error('This is an expression');
  const dimensions = (metricStat.dimensions ?? []).map(({ name, value }) => [name, value] as const);
  return { ...metricStat, described: described(metricStat.namespace, metricStat.metricName, dimensions) };
};

test.each(Object.entries(METHODS))(
  '%s is a metric that the functions emit, with its statistic',
  async (_, [metric, statistic]) => {
    const { described, statistic: actual } = statOf(metric);
    expect(await emitted()).toContain(described);
    expect(actual).toBe(statistic);
  },
);

test('the graphs search for the dimensions by which the functions count', async () => {
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const searches = JSON.stringify(dashboard).matchAll(/SEARCH\('\{va-wave,(\w+),service\}.*?MetricName=\W*(\w+)/g);
  const searched = [...searches].map(([, dimension, name]) => `${name} by ${dimension}`);
  const counted = (await emitted()).flatMap((metric) => {
    const [, name, dimension] = / (\w+) (?:service,)?(\w+)=/.exec(metric) ?? [];
    return name === undefined ? [] : [`${name} by ${dimension}`];
  });
  expect(searched.sort()).toEqual([...new Set(counted)].sort());
});

test('the saved queries show only fields that the lines of functions have', async () => {
  const { log } = await logged(async () => {
    const logger = functionLogger('test');
    logger.addContext(lambdaContext());
    logger.appendKeys({ api_request_id: 'api-request-1' });
    const cause = Object.assign(new ServiceError('x'), { code: 'x' });
    for (const fact of FACTS)
      factReporter(logger, new FrozenClock().now)().reportFact('cause' in fact ? { ...fact, cause } : fact);
  });
  const lines: object[] = log
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  const written = new Set(
    lines.flatMap((one) => Object.entries(one).flatMap(([name, value]) => [name, ...partsOf(name, value)])),
  );
  const queries = Object.values(template.findResources('AWS::Logs::QueryDefinition'));
  expect(queries).toHaveLength(3);
  // A message that waits for an attempt in progress has not failed.
  const patterns = queries.map(({ Properties }) => /message like \/(.*)\//.exec(Properties.QueryString)?.[1]);
  const found = lines.filter((one) => patterns.some((pattern) => pattern && JSON.stringify(one).includes(pattern)));
  expect(found.map((one) => Object(one).level)).toEqual(found.map(() => 'ERROR'));
  expect(found).not.toEqual([]);
  // Nor has a delivery whose attempt another message has made.
  const asked = queries.map(({ Properties }) => String(Properties.QueryString)).find((one) => /"Attempted"/.test(one));
  const wanted = [...(asked ?? '').matchAll(/(\w+) = "(\w+)"/g)];
  const deliveries = lines.filter((one) => wanted.every(([, name = '', value]) => Object(one)[name] === value));
  expect(deliveries.map((one) => Object(one).outcome)).toEqual(['failed', 'failed', 'failed', 'failed']);
  for (const { Properties } of queries) {
    const [, fields = ''] = /^fields (.*)$/m.exec(Properties.QueryString) ?? [];
    expect(fields.split(', ').filter((name) => name !== '@timestamp' && !written.has(name))).toEqual([]);
  }
});

test('each metric of the service has a method', () => {
  const named = new Set(Object.values(METHODS).map(([metric]) => statOf(metric).metricName));
  expect([...named].sort()).toEqual(Object.values(METRICS).sort());
});

test('all attempts are the sum of those by number, and an alarm takes it', () => {
  const all = chat.metricAttempts();
  const parts = Object.values(all.toMetricConfig().mathExpression?.usingMetrics ?? {});
  expect(parts.map((part) => statOf(part).described)).toEqual(
    ['1', '2', '3'].map((attempt) =>
      described('va-wave', 'Attempts', [
        ['attempt', attempt],
        ['service', ''],
      ]),
    ),
  );
  expect(() => all.createAlarm(chat, 'Attempts', { threshold: 1, evaluationPeriods: 1 })).not.toThrow();
});

test('tables, queues and alarms are there for the app', () => {
  expect(Object.keys(chat.tables)).toEqual(['configuration', 'counters', 'conversations', 'deliveryLog']);
  expect(chat.queues.deliveries.deadLetters.queueArn).toEqual(expect.any(String));
  expect(chat.alarms.length).toBeGreaterThan(20);
});
