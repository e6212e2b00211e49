import { METRICS } from '../../src/contract/metrics.ts';
import { anchors, readDocument } from '../docs/documents.ts';
import { bringsAlong, nameOf, synthesize } from './synthesized.ts';

const template = await synthesize();
const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => ({
  name: nameOf(id),
  ...Properties,
}));

test('the stack has exactly these alarms', () => {
  expect(alarms.map(({ name }) => name).sort()).toEqual([
    'ApiErrors',
    'ApiServerErrors',
    'AssistantRuntimeErrors',
    'DashboardErrors',
    'DeliveriesErrors',
    'DeliveriesEventsDropped',
    'DeliveriesRecursiveInvocationsDropped',
    'DeliveriesUnreachedOrganizations',
    'KeysErrors',
    'KeysTokenKeyAge',
    'MessagingDeliveriesDeadLettersWaiting',
    'MessagingDeliveriesOldMessages',
    'MessagingDeliveriesOldMessagesOfAnyGroup',
    'MessagingEventsDeadLettersWaiting',
    'MessagingEventsOldMessages',
    'MessagingEventsOldMessagesOfAnyGroup',
    'MonitoringAccountConcurrency',
    'MonitoringLogWriteFailed',
    'MonitoringThrottles',
    'MonitoringUnreadableActions',
    'TablesThrottles',
    'WidgetRoutesErrors',
    'WidgetRoutesSlow',
  ]);
});

test.each(alarms)('the description of $name links to its entry in the runbook', ({ AlarmDescription }) => {
  const [path, anchor] = AlarmDescription.split('#');
  expect(anchors(readDocument(path))).toContain(anchor);
});

test('three alarms watch the canary, and missing data raises two of them', () => {
  const found = Object.entries(everything.findResources('AWS::CloudWatch::Alarm'))
    .map(([id, { Properties }]) => ({ name: nameOf(id), ...Properties }))
    .filter(({ name }) => name.startsWith('Canary'));
  expect(found.map(({ name }) => name).sort()).toEqual(['CanaryErrors', 'CanaryEventsMissing', 'CanaryFailed']);
  expect(found.find(({ name }) => name === 'CanaryFailed')).toMatchObject({
    AlarmDescription: 'docs/runbook.md#canary',
    MetricName: METRICS.canaryFailed,
    Statistic: 'Maximum',
    EvaluationPeriods: 3,
    DatapointsToAlarm: 2,
    TreatMissingData: 'breaching',
  });
  expect(found.find(({ name }) => name === 'CanaryEventsMissing')).toMatchObject({
    MetricName: 'NumberOfMessagesSent',
    Dimensions: [{ Value: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingEventsQueue/), 'QueueName'] } }],
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    TreatMissingData: 'breaching',
  });
  for (const { AlarmDescription } of found) {
    expect(anchors(readDocument('docs/runbook.md'))).toContain(AlarmDescription.split('#')[1]);
  }
});

test('an alarm watches the errors of every function', () => {
  const watched = alarms
    .filter(({ AlarmDescription }) => AlarmDescription.endsWith('#function-errors'))
    .flatMap(({ Metrics }) => Metrics)
    .flatMap(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? [])
    .map(({ Value }) => Value.Ref);
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
  const ours = functions.filter((id) => !bringsAlong(id));
  expect(watched.sort()).toEqual(ours.sort());
});

test('the alarm for throttles counts those of the whole account, because all functions share its concurrency', () => {
  const throttles = alarms.find(({ name }) => name === 'MonitoringThrottles');
  expect(throttles).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Throttles', Statistic: 'Sum' });
  expect(throttles).not.toHaveProperty('Dimensions');
});

const everything = await synthesize('production with every option');

test.each(Object.values(METRICS))('%s is on the dashboard', (metric) => {
  const [dashboard] = Object.values(everything.findResources('AWS::CloudWatch::Dashboard'));
  expect(JSON.stringify(dashboard?.Properties.DashboardBody)).toContain(metric);
});

test('a rotation that does not run raises the alarm on the age of the token key', () => {
  expect(alarms.find(({ name }) => name === 'KeysTokenKeyAge')).toMatchObject({
    Period: 3600,
    EvaluationPeriods: 3,
    TreatMissingData: 'breaching',
  });
});

test('a message in a quiet group raises an alarm earlier than one in a noisy group', () => {
  for (const queue of ['Events', 'Deliveries']) {
    const quiet = alarms.find(({ name }) => name === `Messaging${queue}OldMessages`);
    const any = alarms.find(({ name }) => name === `Messaging${queue}OldMessagesOfAnyGroup`);
    expect(quiet?.MetricName).toBe('ApproximateAgeOfOldestMessageInQuietGroups');
    expect(any?.MetricName).toBe('ApproximateAgeOfOldestMessage');
    expect(any?.Threshold).toBeGreaterThan(quiet?.Threshold);
  }
});

test('the alarms and graphs of a stack use the metrics of that stack only', async () => {
  for (const [choice, stack] of [
    ['production', 'VaWave'],
    ['another name', 'Second'],
  ] as const) {
    const resources = JSON.stringify((await synthesize(choice)).toJSON().Resources);
    const services = [...resources.matchAll(/"Name":"service","Value":"(\w+)"/g)].map(([, value]) => value);
    expect(new Set(services)).toEqual(new Set([stack]));
    expect(resources.match(/SEARCH\(/g)).toHaveLength(3);
    expect(resources.split(`service=\\\\\\"${stack}\\\\\\"`)).toHaveLength(4);
    const emitted = [...resources.matchAll(/"POWERTOOLS_SERVICE_NAME":"(\w+)"/g)].map(([, value]) => value);
    expect(new Set(emitted)).toEqual(new Set([stack]));
  }
});

test('errors that may end within five minutes raise no alarm', () => {
  const lasting = alarms.filter(({ AlarmDescription }) =>
    /#(function-errors|server-errors|throttles|table-throttles)$/.test(AlarmDescription),
  );
  for (const { name, Threshold, EvaluationPeriods, DatapointsToAlarm } of lasting) {
    // The rotation runs once an hour, so it cannot have five errors in five minutes.
    const expected = name === 'KeysErrors' ? [1, 1, 1] : [5, 3, 2];
    expect([name, Threshold, EvaluationPeriods, DatapointsToAlarm]).toEqual([name, ...expected]);
  }
  expect(lasting).toHaveLength(9);
});
