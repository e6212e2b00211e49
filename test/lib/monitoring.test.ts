import { METRICS } from '../../src/contract/metrics.ts';
import { anchors, readDocument } from '../docs/documents.ts';
import { bringsAlong, nameOf, synthesize } from './synthesized.ts';

const template = await synthesize();
const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => ({
  name: nameOf(id),
  ...Properties,
}));

test('the alarms are about these signals', () => {
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

test.each(alarms)('$name leads to its entry in the runbook', ({ AlarmDescription }) => {
  const [path, anchor] = AlarmDescription.split('#');
  expect(anchors(readDocument(path))).toContain(anchor);
});

test('with the canary, two alarms watch it; its silence raises one of them', () => {
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

test('the errors of every function are watched', () => {
  const watched = alarms
    .filter(({ AlarmDescription }) => AlarmDescription.endsWith('#function-errors'))
    .flatMap(({ Metrics }) => Metrics)
    .flatMap(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? [])
    .map(({ Value }) => Value.Ref);
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
  const ours = functions.filter((id) => !bringsAlong(id));
  expect(watched.sort()).toEqual(ours.sort());
});

test('throttles are those of the whole account, whose concurrency is used up', () => {
  const throttles = alarms.find(({ name }) => name === 'MonitoringThrottles');
  expect(throttles).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Throttles', Statistic: 'Sum' });
  expect(throttles).not.toHaveProperty('Dimensions');
});

const everything = await synthesize('production with every option');

test.each(Object.values(METRICS))('%s is on the dashboard', (metric) => {
  const [dashboard] = Object.values(everything.findResources('AWS::CloudWatch::Dashboard'));
  expect(JSON.stringify(dashboard?.Properties.DashboardBody)).toContain(metric);
});

test('nobody is woken by what may be over in five minutes', () => {
  const lasting = alarms.filter(({ AlarmDescription }) =>
    /#(function-errors|server-errors|throttles)$/.test(AlarmDescription),
  );
  for (const { name, Threshold, EvaluationPeriods, DatapointsToAlarm } of lasting) {
    // The rotation runs once a day: its error is three failed tries already.
    const expected = name === 'KeysErrors' ? [1, 1, 1] : [5, 3, 2];
    expect([name, Threshold, EvaluationPeriods, DatapointsToAlarm]).toEqual([name, ...expected]);
  }
  expect(lasting).toHaveLength(8);
});
