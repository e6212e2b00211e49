import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { DELIVERY } from '../../fakes/delivery.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { readDocument } from '../../unit/docs/documents.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import type { Choice } from '../lib/deployment-choices.ts';
import { nameOf, synthesize } from '../lib/synthesized.ts';

/**
 * Each alarm of the stack, with a fault that raises it. Where the service counts, its deployed bundles fail in a local cloud in which nobody may use the
 * configuration table and the keys of tokens any more. Where AWS counts, the values are stated.
 */

const deployedAssembly = await serviceAssembly();
const folder = temporaryFolder();
let cloud: LocalCloud;
let functions: readonly string[];

beforeAll(async () => {
  const assembly = join(folder, 'assembly');
  cpSync(deployedAssembly, assembly, { recursive: true });
  const file = join(assembly, 'VaWave.template.json');
  const removed = (name: string, value: unknown) =>
    name === 'Statement' && Array.isArray(value)
      ? value.filter(({ Resource }) => !/TablesConfiguration|KeysToken/.test(JSON.stringify(Resource ?? '')))
      : value;
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), removed));
  functions = functionIds(assembly);
  cloud = await startLocalCloud({ data: join(folder, 'data'), assembly });
});
afterAll(() => cloud?.stop());

/** The values that the functions gave a metric. */
const emitted = (metric: string): readonly number[] =>
  readdirSync(cloud.logsFolder)
    .flatMap((file) => readFileSync(join(cloud.logsFolder, file), 'utf8').split('\n'))
    .filter((line) => line.includes(`"${metric}":`))
    .flatMap((line) => z.union([z.number(), z.array(z.number())]).parse(JSON.parse(line)[metric]));
const five = <T>(make: (index: number) => T): T[] => Array.from({ length: 5 }, (_, index) => make(index));

/** Returns how many of five requests are answered with 5xx. */
async function serverErrors(method: string, path: string): Promise<Values> {
  const headers = {
    'x-server-key': `ss_${'a'.repeat(20)}_${'a'.repeat(43)}`,
    'x-site-id': 'site_1',
    origin: 'https://a.example',
  };
  const answers = await Promise.all(five(() => fetch(`${cloud.apiUrl}${path}`, { method, headers })));
  return lasting(answers.filter(({ status }) => status >= 500).length);
}

/** Returns how many of five invocations end with an error of Lambda. */
async function errors(construct: string, event: object): Promise<Values> {
  const answers = await Promise.all(five(() => cloud.invoke(functionOf(functions, construct), event)));
  return lasting(answers.filter(({ hasFailed: failed }) => failed).length);
}

/** Returns what a metric counts more after this. */
async function counted(metric: string, cause: () => Promise<unknown>): Promise<Values> {
  const sum = () => emitted(metric).reduce((all, one) => all + one, 0);
  const before = sum();
  await cause();
  await until(() => sum() >= before + 5, 20_000);
  return lasting(sum() - before);
}
/** Sends a command with the operator's client, and ends the client. */
async function sent<Client extends { readonly destroy: () => void }>(
  Service: new (configuration: object) => Client,
  send: (client: Client) => Promise<unknown>,
): Promise<void> {
  const client = new Service({ endpoint: cloud.gatewayUrl, region: cloud.region, credentials: cloud.credentials });
  await send(client);
  client.destroy();
}
const putEvents = (DetailType: string) => () => {
  const EventBusName = cloud.outputs[OUTPUTS.eventBus];
  const Detail = JSON.stringify({ org_id: 'org_1', data: {} });
  const Entries = five(() => ({ EventBusName, Source: 'platform', DetailType, Detail }));
  return sent(EventBridgeClient, (client) => client.send(new PutEventsCommand({ Entries })));
};
const sendDeliveries = () => {
  const QueueUrl = cloud.outputs[OUTPUTS.deliveriesQueue];
  const Entries = five((Id) => ({ Id: `${Id}`, MessageBody: JSON.stringify(DELIVERY), MessageGroupId: 'act_event' }));
  return sent(SQSClient, (client) => client.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
};

const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]);
const metric = z.object({ MetricName: z.string(), Dimensions: dimensions });
const alarm = z.object({
  AlarmDescription: z.object({ 'Fn::Sub': z.string() }),
  MetricName: z.string().optional(),
  Dimensions: dimensions,
  Metrics: z
    .array(
      z.object({
        Id: z.string(),
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
const alarmsOf = (choice: Choice) =>
  Object.entries(synthesize(choice).findResources('AWS::CloudWatch::Alarm')).map(
    ([id, { Properties }]): [string, Alarm] => [nameOf(id), alarm.parse(Properties)],
  );
/** With the values of a stack without options, if it has the alarm. */
const alarms = new Map([...alarmsOf('production with every option'), ...alarmsOf('production')]);

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

const lasting = (value: number | undefined): Values => [value, value, value];

type Fault = readonly [alarm: string, fault: string, metric: string, values: () => Values | Promise<Values>];
const FAILING_ROUTES = {
  'session-create': ['POST', '/api/widget/session/create'],
  'widget-init': ['POST', '/api/widget/init'],
  'form-submit': ['POST', '/api/widgets/sites/site_1/forms/order/submit'],
} as const;
const [VISIBLE, AGE] = ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'];
const LIST_TOOLS = { operation: 'listTools', site_id: 'site_1' };
const TEST = { org_id: 'org_1', action_id: 'act_1' };
const failedMessages = (cause: () => Promise<unknown>) => () => counted(METRICS.failedMessages, cause);
const EVENT = putEvents('conversation.started');
const FAULTS: readonly Fault[] = [
  ...Object.entries(FAILING_ROUTES).map(
    ([name, [method, path]]): Fault => [
      'ApiServerErrors',
      `${name} may not read its table`,
      METRICS.failedRequests,
      () => serverErrors(method, path),
    ],
  ),
  ['DeliveriesFailedMessages', 'the router may not read its table', METRICS.failedMessages, failedMessages(EVENT)],
  ['DeliveriesFailedMessages', 'nor the dispatcher', METRICS.failedMessages, failedMessages(sendDeliveries)],
  ['AssistantRuntimeErrors', 'ai-action may not read its table', 'Errors', () => errors('AiAction', LIST_TOOLS)],
  ['DashboardErrors', 'action-test may not read its table', 'Errors', () => errors('ActionTest', TEST)],
  ['KeysErrors', 'key-rotation may not read its keys', 'Errors', () => errors('KeyRotation', {})],
  [
    'DeliveriesEventsDropped',
    'the platform misspells events',
    METRICS.eventsDropped,
    () => counted(METRICS.eventsDropped, putEvents('conversation.begun')),
  ],
  ...['Api', 'WidgetRoutes', 'Deliveries', 'Canary'].map(
    (feature): Fault => [`${feature}Errors`, 'a function reaches its timeout', 'Errors', () => lasting(5)],
  ),
  ['WidgetRoutesSlow', 'DynamoDB answers after two seconds', 'Duration', () => lasting(2100)],
  ['ApiNearThrottle', 'a flood of requests', 'Count', () => lasting(1400 * 300)],
  ['WidgetRoutesThrottles', 'the account has no free execution', 'Throttles', () => lasting(5)],
  ['MonitoringAccountConcurrency', 'nine tenths of the quota are in use', 'ConcurrentExecutions', () => lasting(900)],
  ['MonitoringUnreadableActions', 'a form cannot be read', METRICS.unreadableActions, () => [1]],
  ['MonitoringLogWriteFailed', 'a record cannot be completed', METRICS.logWriteFailed, () => [1]],
  ['TablesThrottles', 'DynamoDB throttles', 'ThrottleEvents', () => lasting(5)],
  ['DeliveriesUnreachedOrganizations', 'no organization is reached', METRICS.unreachedOrganizations, () => lasting(1)],
  ['KeysTokenKeyAge', 'the rotation does not run', METRICS.tokenKeyAge, () => lasting(undefined)],
  ['CanaryFailed', 'the canary does not run', METRICS.canaryFailed, () => lasting(undefined)],
  ['CanaryEventsMissing', 'the rule of the bus is disabled', 'NumberOfMessagesSent', () => lasting(0)],
  ['MessagingEventsNotQueued', 'the key of the queue and its dead letters refuses', 'FailedInvocations', () => [1]],
  ['MessagingEventsNotQueued', 'an event fits into no queue', 'InvocationsFailedToBeSentToDlq', () => [1]],
  ['MessagingRulesThrottled', 'the region’s quota of invocations is reached', 'ThrottledRules', () => lasting(5)],
  ...['Events', 'Deliveries'].flatMap((queue): Fault[] => [
    [`Messaging${queue}DeadLettersWaiting`, 'a message is never handled', VISIBLE, () => [1]],
    [`Messaging${queue}DeadLettersGrow`, 'a second one follows', VISIBLE, () => [0, 1]],
    [`Messaging${queue}OldMessages`, 'the function is disabled', `${AGE}InQuietGroups`, () => lasting(300)],
    [`Messaging${queue}OldMessagesOfAnyGroup`, 'a tenant sends more than is delivered', AGE, () => lasting(3600)],
  ]),
];

test.each(FAULTS)('%s is raised by this fault: %s', async (name, _, counted, seen) => {
  const one = alarms.get(name);
  const metrics = [one?.MetricName, ...(one?.Metrics ?? []).map(({ MetricStat }) => MetricStat?.Metric.MetricName)];
  expect(metrics.some((found) => found?.endsWith(counted))).toBe(true);
  expect(one && notifications(one, [...(await seen())])).toBe(1);
});

test('every alarm of the stack has its fault', () => {
  expect([...new Set(FAULTS.map(([name]) => name))].sort()).toEqual([...alarms.keys()].sort());
});

/** The values of metrics in a period, by the metric's name, or by its name and the construct of its function or rule. */
type World = Readonly<Record<string, number>>;

/** What metric math has, for one period of values that do not change. */
const METRIC_MATH = {
  FILL: (value: number | undefined, other: number) => value ?? other,
  MAX: (values: readonly number[]) => Math.max(...values),
  IF: (condition: boolean, one: number, other: number) => (condition ? one : other),
  DIFF: () => 0,
};

/** Returns the value that an alarm compares in each period of this world; undefined when there is none. */
function valueIn(world: World, one: Alarm): number | undefined {
  const stated = ({ MetricName, Dimensions }: z.infer<typeof metric>) => {
    const constructs = JSON.stringify(Dimensions);
    const key = Object.keys(world).find(
      (name) => name.startsWith(`${MetricName} `) && constructs.includes(name.split(' ')[1] ?? ''),
    );
    return world[key ?? MetricName];
  };
  if (one.MetricName !== undefined) return stated({ MetricName: one.MetricName, Dimensions: one.Dimensions });
  const byId = new Map(one.Metrics.map((part) => [part.Id, part]));
  const value = (id: string): number | undefined => {
    const { Expression = '', MetricStat } = byId.get(id) ?? {};
    if (MetricStat !== undefined) return stated(MetricStat.Metric);
    const inner = [...byId.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(Expression));
    const result = Number(
      runInNewContext(Expression, { ...METRIC_MATH, ...Object.fromEntries(inner.map((name) => [name, value(name)])) }),
    );
    return Number.isNaN(result) ? undefined : result;
  };
  return value(one.Metrics[0]?.Id ?? '');
}

/** A world without a fault, with as many requests, events and deliveries a second. */
const healthy = (load: number): World => ({
  Count: Math.min(load, 1000) * 300,
  NumberOfMessagesReceived: load * 300,
  NumberOfMessagesSent: load * 300,
  AttemptLatency: load * 300,
  Attempts: load * 15,
  '5xx': 0,
  ConcurrentExecutions: 500,
  [METRICS.tokenKeyAge]: 1,
  [METRICS.canaryFailed]: 0,
});

type Case = readonly [
  who: 'others' | 'ours',
  fault: string,
  change: (load: number) => World,
  alarms: readonly string[],
];
const CASES: readonly Case[] = [
  ['others', 'nothing fails', () => ({}), []],
  ['others', 'ten forms fail, because of their endpoint', () => ({ Attempts: 10, '5xx': 10 }), []],
  ['others', 'every form of a customer fails', (load) => ({ Attempts: load * 15, '5xx': load * 15 }), []],
  [
    'others',
    'an endpoint that hangs uses up the executions of form-submit',
    (load) => ({ Attempts: load * 5, 'Throttles FormSubmit': load * 10, '5xx': load * 15 }),
    [],
  ],
  ['others', 'a visitor sends a flood', () => ({ Count: 1400 * 300 }), ['ApiNearThrottle']],
  ['others', 'the functions of a neighbour', () => ({ ConcurrentExecutions: 900 }), ['MonitoringAccountConcurrency']],
  ['others', 'the rules of a neighbour', () => ({ ThrottledRules: 5 }), ['MessagingRulesThrottled']],
  ['others', 'the platform misspells an event', () => ({ [METRICS.eventsDropped]: 1 }), ['DeliveriesEventsDropped']],
  [
    'others',
    'a later version wrote an Action',
    () => ({ [METRICS.unreadableActions]: 1 }),
    ['MonitoringUnreadableActions'],
  ],
  ['others', 'a tenant uses up a key of its own', (load) => ({ WriteThrottleEvents: load }), ['TablesThrottles']],
  [
    'others',
    'a tenant sends more than is delivered',
    () => ({ [AGE]: 4000, [`${AGE}InQuietGroups`]: 0 }),
    ['MessagingDeliveriesOldMessagesOfAnyGroup', 'MessagingEventsOldMessagesOfAnyGroup'],
  ],
  [
    'others',
    'three of a million requests, messages and records fail',
    (load) => {
      const three = Math.floor((load * 300 * 3) / 1_000_000);
      return { [METRICS.failedRequests]: three, [METRICS.failedMessages]: three, [METRICS.logWriteFailed]: three };
    },
    [],
  ],
  [
    'ours',
    'API Gateway may not invoke widget-init',
    (load) => ({ Attempts: load, '5xx': load * 200 }),
    ['ApiServerErrors'],
  ],
  ['ours', 'Lambda refuses to start dashboard-api', (load) => ({ Attempts: 0, '5xx': load * 6 }), ['ApiServerErrors']],
  ['ours', 'one of a hundred requests fails', (load) => ({ [METRICS.failedRequests]: load * 3 }), ['ApiServerErrors']],
  [
    'ours',
    'one of a hundred messages fails',
    (load) => ({ [METRICS.failedMessages]: load * 3 }),
    ['DeliveriesFailedMessages'],
  ],
  [
    'ours',
    'one of a hundred records is lost',
    (load) => ({ [METRICS.logWriteFailed]: load * 3 }),
    ['MonitoringLogWriteFailed'],
  ],
];

test.each(CASES.flatMap((one) => [10, 5000].map((load) => [load, ...one] as const)))(
  'at %i deliveries a second, what %s cause, as when %s, raises its alarms alone',
  (load, who, _, change, expected) => {
    const world = { ...healthy(load), ...change(load) };
    const raised = [...alarms].filter(([, one]) => notifications(one, lasting(valueIn(world, one))) > 0);
    expect(raised.map(([name]) => name).sort()).toEqual(expected);
    // What a tenant, a visitor or a neighbour in the account can raise alone pages nobody.
    const severity = who === 'others' ? 'ticket' : 'page';
    for (const [, one] of raised) expect(one.AlarmDescription['Fn::Sub'].startsWith(`${severity}: `)).toBe(true);
  },
);

test('each ticket is one that others can raise, but for a rotation that does not run, after which keys stay valid for days', () => {
  const tickets = [...alarms].filter(([, one]) => one.AlarmDescription['Fn::Sub'].startsWith('ticket: '));
  const ofOthers = CASES.flatMap(([who, , , names]) => (who === 'others' ? names : []));
  expect(tickets.map(([name]) => name).sort()).toEqual([...ofOthers, 'KeysTokenKeyAge'].sort());
});

test('a fault of a few minutes raises no alarm on lasting faults', () => {
  for (const name of ['ApiServerErrors', 'DeliveriesFailedMessages', 'DeliveriesErrors', 'WidgetRoutesThrottles']) {
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
