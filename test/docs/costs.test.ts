import { readFileSync } from 'node:fs';
import { costs, IDLE } from '../../scripts/costs.ts';
import { synthesize } from '../lib/synthesized.ts';

test('docs/costs.md is what the price table says (node scripts/costs.ts)', () => {
  expect(readFileSync('docs/costs.md', 'utf8')).toBe(costs());
});

test('what is paid for without a request is what the template has', async () => {
  const template = await synthesize();
  template.resourceCountIs('AWS::SecretsManager::Secret', IDLE.secrets);
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', IDLE.queues);
  template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  // An alarm over an expression is billed by the metrics in it.
  const metrics = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) =>
      (Properties.Metrics ?? [{ MetricStat: {} }]).filter(
        (one: { MetricStat?: object }) => one.MetricStat !== undefined,
      ).length,
  );
  expect(metrics.reduce((all, some) => all + some, 0)).toBe(IDLE.alarmMetrics);
});
