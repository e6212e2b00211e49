import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

test('accepts an account that has everything', async () => {
  const { code, out, err } = await operator.run('doctor', '--region', 'eu-west-1', '--stack', 'Chat');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('stack Chat');
  expect(out).not.toContain('accountConcurrency');
  expect(operator.targets).toEqual([{ region: 'eu-west-1', stack: 'Chat' }]);
});

test('prints the version that is deployed, and the region’s quota of events', async () => {
  operator.account = { ...operator.account, region: 'eu-south-1', stack: 'CREATE_COMPLETE', version: '0.1.0+4fc0cfb8' };
  const { code, out, err } = await operator.run('doctor', '--deliveries-per-second', '800');
  expect([code, err]).toEqual([2, 'To do first: events per second\n']);
  expect(out).toContain('CREATE_COMPLETE, 0.1.0+4fc0cfb8');
});

test.each([
  [{ concurrency: 1000 }, 'concurrent executions', '10000 deliveries a second need more: request 1100 from AWS'],
  [{ concurrency: 1100, tableWriteUnits: 29_999 }, 'write units of a table', 'Enough for 9999 deliveries a second'],
])('for 10000 deliveries a second and %j it reports the quota of %s', async (facts, check, advice) => {
  operator.account = { ...operator.account, ...facts };
  const { code, out, err } = await operator.run('doctor', '--deliveries-per-second', '10000');
  expect([code, err]).toEqual([2, `To do first: ${check}\n`]);
  expect(out).toContain(advice);
});

test.each([
  [{ concurrency: 10 }, 'concurrent executions', 'Deploy with -c accountConcurrency=10'],
  [{ concurrency: undefined }, 'concurrent executions', 'Allow lambda:GetAccountSettings'],
  [{ tableWriteUnits: 10_000 }, 'write units of a table', 'Enough for 3333 deliveries a second'],
  [{ tableWriteUnits: undefined }, 'write units of a table', 'Allow dynamodb:DescribeLimits'],
  [{ toolkit: undefined }, 'cdk bootstrap', 'Run npx cdk bootstrap in eu-west-1'],
  [{ toolkit: 'ROLLBACK_COMPLETE' }, 'cdk bootstrap', 'Run npx cdk bootstrap in eu-west-1'],
  [{ stack: 'ROLLBACK_COMPLETE' }, 'stack VaWave', 'Clean up as described in docs/deploying.md'],
  [{ region: 'cn-north-1' }, 'region', 'Choose another region'],
])('for %j it reports that %s is missing', async (facts, check, advice) => {
  operator.account = { ...operator.account, ...facts };
  const { code, out, err } = await operator.run('doctor');
  expect([code, err]).toEqual([2, `To do first: ${check}\n`]);
  expect(out).toContain(advice);
  const examined = JSON.parse((await operator.run('doctor', '--json')).out);
  expect(examined.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([expect.objectContaining({ check })]);
});
