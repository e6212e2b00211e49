import { readFileSync } from 'node:fs';
import { IDLE, IN_SHORT, withCosts } from '../../scripts/costs.ts';
import { synthesize } from '../lib/synthesized.ts';

const page = readFileSync('docs/costs.md', 'utf8');

test('docs/costs.md has the costs of the current price table (node scripts/costs.ts)', () => {
  expect(withCosts(page)).toBe(page);
  expect(withCosts(page.replace('$9.29', '$9'))).toBe(page);
});

test('the resources that cost money without requests are those of the template', async () => {
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

test('README says the same in whole dollars', () => {
  const whole = (amount: number) => `$${Math.round(amount)}`;
  const range = `${whole(IN_SHORT.muchTraffic)} to ${whole(IN_SHORT.littleTraffic)}`;
  const text = readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    `about ${whole(IN_SHORT.idle)} a month when idle, ${range} per million deliveries ([how we count](docs/costs.md))`,
  );
  expect(text).toContain(
    `| Price per million | ${range} | $100, and $490 a month | your servers | your servers | $1.20,`,
  );
  // The others' prices, too.
  for (const price of ['$490 a month and $100 per million messages', '| $1.20 |']) expect(page).toContain(price);
});
