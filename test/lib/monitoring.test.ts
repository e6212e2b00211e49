import { METRICS } from '../../src/contract/metrics.ts';
import { anchors, readDocument } from '../docs/documents.ts';
import { bringsAlong, nameOf, synthesize } from './synthesized.ts';

const template = await synthesize();
const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => ({
  name: nameOf(id),
  ...Properties,
}));

test.each(alarms)('the description of $name links to its entry in the runbook', ({ AlarmDescription }) => {
  const [, path = '', anchor] = /^(?:page|ticket): (.*)#(.*)$/.exec(AlarmDescription) ?? [];
  expect(anchors(readDocument(path))).toContain(anchor);
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

test('the alarms and graphs of a stack use the metrics of that stack only', async () => {
  for (const [choice, stack] of [
    ['production', 'VaWave'],
    ['a new account', 'Second'],
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

test('the dashboard has the state of every alarm, and no more metrics than are free', () => {
  const [dashboard] = Object.values(everything.findResources('AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  const named = Object.keys(everything.findResources('AWS::CloudWatch::Alarm'));
  expect(named.filter((id) => !body.includes(id))).toEqual([]);
  // A metric begins with its namespace. The first dashboard of up to 50 metrics is free (https://aws.amazon.com/cloudwatch/pricing/).
  expect(body.match(/\[\\"(?:AWS\/|va-wave)/g)?.length).toBeLessThanOrEqual(50);
});
