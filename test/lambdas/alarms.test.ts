import * as z from 'zod';
import { METRICS } from '../../src/deployment/metrics.ts';
import { readDocument } from '../docs/documents.ts';
import { DELIVERY } from '../fakes/delivery.ts';
import type { Choice } from '../lib/deployment-choices.ts';
import { nameOf, synthesize } from '../lib/synthesized.ts';
import { aws } from './environment.ts';
import { httpEvent, lambdaContext, lineOf, logged, sqsEvent } from './invocation.ts';

/** Each alarm of the stack, with a fault that raises it. Handlers fail here as in Lambda; what AWS itself counts is stated. */

const { handler: sessionCreate } = await import('../../lambdas/session-create/handler.ts');
const { handler: router } = await import('../../lambdas/event-router/handler.ts');
const { handler: dispatcher } = await import('../../lambdas/dispatcher/handler.ts');
const { handler: aiAction } = await import('../../lambdas/ai-action/handler.ts');
const { handler: keyRotation } = await import('../../lambdas/key-rotation/handler.ts');

const metric = z.object({ MetricName: z.string() });
const alarm = z.object({
  AlarmDescription: z.object({ 'Fn::Sub': z.string() }),
  MetricName: z.string().optional(),
  Metrics: z
    .array(
      z.object({
        Expression: z.string().optional(),
        MetricStat: z.object({ Metric: metric, Period: z.number() }).optional(),
      }),
    )
    .default([]),
  Period: z.number().optional(),
  Threshold: z.number(),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number(),
  TreatMissingData: z.enum(['notBreaching', 'breaching']),
});
type Alarm = z.infer<typeof alarm>;
const alarmsOf = async (choice: Choice) =>
  Object.entries((await synthesize(choice)).findResources('AWS::CloudWatch::Alarm')).map(
    ([id, { Properties }]): [string, Alarm] => [nameOf(id), alarm.parse(Properties)],
  );
/** With the values of a stack without options, if it has the alarm. */
const alarms = new Map([...(await alarmsOf('production with every option')), ...(await alarmsOf('production'))]);

/** A value of a metric for each period. Undefined: there is none. */
type Values = readonly (number | undefined)[];

/** Returns how often an alarm is raised, and so notifies, while its metric has these values. */
function notifications(one: Alarm, metrics: Values): number {
  const differs = one.Metrics.some(({ Expression }) => Expression?.startsWith('DIFF('));
  const values = differs ? metrics.map((value = 0, index) => value - (metrics[index - 1] ?? 0)) : metrics;
  const breaches = values.map((value) => {
    if (value === undefined) return one.TreatMissingData === 'breaching';
    return one.ComparisonOperator === 'LessThanThreshold' ? value < one.Threshold : value >= one.Threshold;
  });
  const states = breaches.map(
    (_, at) => breaches.slice(Math.max(0, at + 1 - one.EvaluationPeriods), at + 1).filter(Boolean).length,
  );
  const raised = states.map((count) => count >= one.DatapointsToAlarm);
  return raised.filter((now, at) => now && raised[at - 1] !== true).length;
}

/** Runs a batch whose messages all fail. @returns what the metric counts of it */
async function failedMessages(handler: typeof router, body: object): Promise<number> {
  const { result, log } = await logged(() => handler(sqsEvent(body, body, body, body, body), lambdaContext()));
  expect(result.batchItemFailures).toHaveLength(5);
  const counted = z.union([z.number(), z.array(z.number())]).parse(lineOf(log, METRICS.failedMessages)?.FailedMessages);
  return [counted].flat().reduce((sum, one) => sum + one, 0);
}

/** Returns how many of five invocations end with an error of Lambda. */
async function errors(invoke: () => Promise<unknown>): Promise<number> {
  const { result } = await logged(() => Promise.allSettled(Array.from({ length: 5 }, invoke)));
  return result.filter(({ status }) => status === 'rejected').length;
}

const EVENT = {
  id: 'e-1',
  'detail-type': 'conversation.started',
  time: '2026-03-04T05:06:00Z',
  detail: { org_id: 'org_1', data: {} },
};
const lasting = (value: number | undefined): Values => [value, value, value];

type Fault = readonly [alarm: string, fault: string, metric: string, values: () => Values | Promise<Values>];
const FAULTS: readonly Fault[] = [
  [
    'ApiServerErrors',
    'DynamoDB refuses: session create answers 500',
    '5xx',
    async () => {
      const { result } = await logged(() =>
        Promise.all(Array.from({ length: 5 }, () => sessionCreate(httpEvent({}), lambdaContext()))),
      );
      return lasting(result.filter(({ statusCode = 0 }) => statusCode >= 500).length);
    },
  ],
  [
    'DeliveriesFailedMessages',
    'DynamoDB refuses: the router and the dispatcher return their messages',
    METRICS.failedMessages,
    async () => [await failedMessages(router, EVENT), await failedMessages(dispatcher, DELIVERY)],
  ],
  [
    'AssistantRuntimeErrors',
    'DynamoDB refuses: a call of a tool ends with an error',
    'Errors',
    async () => lasting(await errors(() => aiAction({ operation: 'listTools', site_id: 'site_1' }, lambdaContext()))),
  ],
  ['KeysErrors', 'Secrets Manager refuses', 'Errors', async () => [await errors(() => keyRotation({}))]],
  ...['Api', 'WidgetRoutes', 'Deliveries', 'Dashboard', 'Canary'].map(
    (feature): Fault => [`${feature}Errors`, 'a function reaches its timeout', 'Errors', () => lasting(5)],
  ),
  ['WidgetRoutesSlow', 'DynamoDB answers after two seconds', 'Duration', () => lasting(2100)],
  ['ApiNearThrottle', 'a flood of requests', 'Count', () => lasting(1400 * 300)],
  ['MonitoringThrottles', 'the account has no free execution', 'Throttles', () => lasting(5)],
  ['MonitoringAccountConcurrency', 'nine tenths of the quota are in use', 'ConcurrentExecutions', () => lasting(900)],
  ['MonitoringUnreadableActions', 'a form cannot be read', METRICS.unreadableActions, () => [1]],
  ['MonitoringLogWriteFailed', 'a record cannot be completed', METRICS.logWriteFailed, () => [1]],
  ['TablesThrottles', 'DynamoDB throttles', 'ThrottleEvents', () => lasting(5)],
  ['DeliveriesUnreachedOrganizations', 'no organization is reached', METRICS.unreachedOrganizations, () => lasting(1)],
  ['DeliveriesEventsDropped', 'the platform misspells an event', METRICS.eventsDropped, () => [1]],
  ['KeysTokenKeyAge', 'the rotation does not run', METRICS.tokenKeyAge, () => lasting(undefined)],
  ['CanaryFailed', 'the canary does not run', METRICS.canaryFailed, () => lasting(undefined)],
  ['CanaryEventsMissing', 'the rule of the bus is disabled', 'NumberOfMessagesSent', () => lasting(0)],
  [
    'MessagingEventsNotQueued',
    'the key of the queue and of its dead-letter queue refuses',
    'FailedInvocations',
    () => [1],
  ],
  ['MessagingRulesThrottled', 'the region’s quota of invocations is reached', 'ThrottledRules', () => lasting(5)],
  ...['Events', 'Deliveries'].flatMap((queue): Fault[] => [
    [
      `Messaging${queue}DeadLettersWaiting`,
      'a message is never handled',
      'ApproximateNumberOfMessagesVisible',
      () => [1],
    ],
    [`Messaging${queue}DeadLettersGrow`, 'a second one follows', 'ApproximateNumberOfMessagesVisible', () => [0, 1]],
    [
      `Messaging${queue}OldMessages`,
      'the function is disabled',
      'ApproximateAgeOfOldestMessageInQuietGroups',
      () => lasting(300),
    ],
    [
      `Messaging${queue}OldMessagesOfAnyGroup`,
      'a tenant sends more than is delivered',
      'ApproximateAgeOfOldestMessage',
      () => lasting(3600),
    ],
  ]),
];

beforeEach(() => {
  aws.reset();
  for (const operation of [
    ...(['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'] as const),
    ...(['BatchExecuteStatement', 'GetSecretValue'] as const),
  ]) {
    aws.on(operation, {}, new Error('away'));
  }
});

test.each(FAULTS)('%s is raised by this fault: %s', async (name, _, counted, seen) => {
  const one = alarms.get(name);
  const metrics = [one?.MetricName, ...(one?.Metrics ?? []).map(({ MetricStat }) => MetricStat?.Metric.MetricName)];
  expect(metrics.some((found) => found?.endsWith(counted))).toBe(true);
  expect(one && notifications(one, [...(await seen())])).toBe(1);
});

test('every alarm of the stack has its fault', () => {
  expect(FAULTS.map(([name]) => name).sort()).toEqual([...alarms.keys()].sort());
});

test('a fault of a few minutes raises no alarm on lasting faults', () => {
  for (const name of ['ApiServerErrors', 'DeliveriesFailedMessages', 'DeliveriesErrors', 'MonitoringThrottles']) {
    const one = alarms.get(name);
    expect(one && notifications(one, [0, 99, 0, 0])).toBe(0);
  }
});

test('two dead letters, an hour apart, notify twice', () => {
  const waiting = [0, ...Array(60).fill(1), ...Array(5).fill(2)];
  for (const queue of ['Events', 'Deliveries']) {
    const [level, growth] = ['Waiting', 'Grow'].map((end) => alarms.get(`Messaging${queue}DeadLetters${end}`));
    expect(level && notifications(level, waiting)).toBe(1);
    expect(growth && notifications(growth, waiting)).toBe(2);
  }
});

/** When an alarm is raised, as the runbook writes it. */
function threshold({ Threshold, ComparisonOperator, EvaluationPeriods, DatapointsToAlarm, Period, Metrics }: Alarm) {
  const minutes = (Period ?? Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period ?? 0) / 60;
  const sign = ComparisonOperator === 'LessThanThreshold' ? '<' : '≥';
  const periods = EvaluationPeriods === 1 ? '' : `, ${DatapointsToAlarm} of ${EvaluationPeriods}`;
  return `${sign} ${Threshold} in ${minutes} min${periods}`;
}

test('the entry of each alarm in the runbook begins with its name and threshold', () => {
  const { text } = readDocument('docs/runbook.md');
  const stated = text.split(/^## /m).flatMap((section) => {
    const [heading = '', , first = ''] = section.split('\n');
    return [...first.matchAll(/((?:`\w+`(?:, )?)+): ([≥<] [^;]+)/g)].flatMap(([, names = '', value]) =>
      [...names.matchAll(/\w+/g)].map(([name]) => [name, value, heading.toLowerCase().replaceAll(' ', '-')]),
    );
  });
  const expected = [...alarms].map(([name, one]) => [
    name,
    threshold(one),
    one.AlarmDescription['Fn::Sub'].split('#')[1],
  ]);
  expect(stated.sort()).toEqual(expected.sort());
});
