import { addressOfFiles } from '../../../lib/va-wave-stack.ts';
import { METRICS } from '../../../src/deployment/metrics.ts';
import { bringsAlong, nameOf, synthesize } from './synthesized.ts';

const template = synthesize();
const everything = synthesize('production with every option');
const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => ({
  name: nameOf(id),
  ...Properties,
}));

test.each([
  ['git@git.example:chat/va-wave.git', 'https://git.example/chat/va-wave/blob/HEAD/'],
  ['ssh://git@git.example:2222/chat/va-wave.git', 'https://git.example/chat/va-wave/blob/HEAD/'],
  ['https://user:token@git.example/group/chat/va-wave', 'https://git.example/group/chat/va-wave/blob/HEAD/'],
  ['../va-wave', ''],
  ['', ''],
])('with the remote %s, the address of the runbook begins with %s', (remote, address) => {
  expect(addressOfFiles(remote)).toBe(address);
});

test('the output and each function have the commit', () => {
  const version = everything.toJSON().Outputs.Version.Value;
  expect(version).toMatch(/^\d+\.\d+\.\d+\+0123456789ab$/);
  for (const [id, { Properties }] of Object.entries(everything.findResources('AWS::Lambda::Function'))) {
    if (!bringsAlong(id)) expect([id, Properties.Tags]).toEqual([id, [{ Key: 'va-wave-version', Value: version }]]);
  }
});

const PLACE =
  /^(page|ticket): \$\{AWS::StackName\}, \$\{AWS::Region\}, \$\{AWS::AccountId\}, https:\/\/git\.example\/blob\/HEAD\/docs\/runbook\.md#/;
test('every alarm says where it is, and links to the runbook', () => {
  for (const { Properties } of Object.values(everything.findResources('AWS::CloudWatch::Alarm'))) {
    expect(Properties.AlarmDescription['Fn::Sub']).toMatch(PLACE);
  }
});

test('without an address, an alarm names the page in the sources or in the package', () => {
  for (const { AlarmDescription } of alarms)
    expect(AlarmDescription['Fn::Sub']).toMatch(/AccountId\}, docs\/runbook\.md#[a-z-]+$/);
});

test('an alarm watches the errors of every function', () => {
  const watched = alarms
    .filter(({ AlarmDescription }) => AlarmDescription['Fn::Sub'].endsWith('#function-errors'))
    .flatMap(({ Metrics }) => Metrics)
    .flatMap(({ MetricStat }) => MetricStat?.Metric.Dimensions ?? [])
    .map(({ Value }) => Value.Ref);
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
  const ours = functions.filter((id) => !bringsAlong(id));
  expect(watched.sort()).toEqual(ours.sort());
});

test('the alarm for throttles counts those of functions that no other service and no slow endpoint of a customer uses up', () => {
  const { Metrics = [] } = alarms.find(({ name }) => name === 'WidgetRoutesThrottles') ?? {};
  const refs = [...JSON.stringify(Metrics).matchAll(/"Ref":"(\w+)"/g)].map(([, id = '']) => id);
  expect(refs.map((id) => id.match(/SessionCreate|WidgetInit|Preflight/)?.[0])).toEqual([
    'SessionCreate',
    'WidgetInit',
    'Preflight',
  ]);
});

test.each(Object.values(METRICS))('%s is on the dashboard', (metric) => {
  const [dashboard] = Object.values(everything.findResources('AWS::CloudWatch::Dashboard'));
  expect(JSON.stringify(dashboard?.Properties.DashboardBody)).toContain(metric);
});

test('the alarms and graphs of a stack use the metrics of that stack only', () => {
  for (const [choice, stack] of [
    ['production', 'VaWave'],
    ['a new account', 'Second'],
  ] as const) {
    const resources = JSON.stringify(synthesize(choice).toJSON().Resources);
    const services = [...resources.matchAll(/"Name":"service","Value":"(\w+)"/g)].map(([, value]) => value);
    expect(new Set(services)).toEqual(new Set([stack]));
    expect(resources.match(/SEARCH\(/g)).toHaveLength(5);
    expect(resources.split(`service=\\\\\\"${stack}\\\\\\"`)).toHaveLength(6);
    const emitted = [...resources.matchAll(/"VA_WAVE_METRICS_SERVICE":"(\w+)"/g)].map(([, value]) => value);
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

// CloudFormation refuses a dashboard with a fraction, and a synthesis does not.
test('the places and sizes of the dashboard are whole numbers', () => {
  const [dashboard] = Object.values(everything.findResources('AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  const places = [...body.matchAll(/\\"(width|height|x|y)\\":([\d.]+)/g)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(places.length).toBeGreaterThan(4 * 15);
  expect(places.filter(([, value]) => !Number.isInteger(value))).toEqual([]);
});
