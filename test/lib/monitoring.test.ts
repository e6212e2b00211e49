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
    'DeliveriesUnreachedOrganizations',
    'KeysErrors',
    'KeysTokenKeyAge',
    'MessagingDeliveriesDeadLettersWaiting',
    'MessagingDeliveriesOldMessages',
    'MessagingEventsDeadLettersWaiting',
    'MessagingEventsOldMessages',
    'MonitoringLogWriteFailed',
    'MonitoringThrottles',
    'MonitoringUnreadableActions',
    'WidgetRoutesErrors',
  ]);
});

test.each(alarms)('the description of $name links to its entry in the runbook', ({ AlarmDescription }) => {
  const [path, anchor] = AlarmDescription.split('#');
  expect(anchors(readDocument(path))).toContain(anchor);
});

test('two alarms watch the canary, and missing data raises one of them', () => {
  const found = Object.entries(everything.findResources('AWS::CloudWatch::Alarm'))
    .map(([id, { Properties }]) => ({ name: nameOf(id), ...Properties }))
    .filter(({ name }) => name.startsWith('Canary'));
  expect(found.map(({ name }) => name).sort()).toEqual(['CanaryErrors', 'CanaryFailed']);
  expect(found.find(({ name }) => name === 'CanaryFailed')).toMatchObject({
    AlarmDescription: 'docs/runbook.md#canary',
    MetricName: METRICS.canaryFailed,
    Statistic: 'Maximum',
    EvaluationPeriods: 3,
    DatapointsToAlarm: 2,
    TreatMissingData: 'breaching',
  });
  expect(anchors(readDocument('docs/runbook.md'))).toContain('canary');
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

test('errors that may end within five minutes raise no alarm', () => {
  const lasting = alarms.filter(({ AlarmDescription }) =>
    /#(function-errors|server-errors|throttles)$/.test(AlarmDescription),
  );
  for (const { name, Threshold, EvaluationPeriods, DatapointsToAlarm } of lasting) {
    // The rotation runs once a day, and Lambda retries it twice before it reports an error.
    const expected = name === 'KeysErrors' ? [1, 1, 1] : [5, 3, 2];
    expect([name, Threshold, EvaluationPeriods, DatapointsToAlarm]).toEqual([name, ...expected]);
  }
  expect(lasting).toHaveLength(8);
});
