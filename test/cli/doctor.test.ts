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

test.each([
  ['eu-west-1', 19_000, 18_750],
  ['eu-south-2', 4600, 4500],
  ['ap-southeast-2', 2300, 2250],
  ['eu-north-1', 1200, 1100],
  ['eu-south-1', 800, 750],
])(
  'prints the version that is deployed, and the quota of events of %s, which %p exceed',
  async (region, load, quota) => {
    const enough = { concurrency: 10_000, tableWriteUnits: 100_000 };
    operator.account = { ...operator.account, ...enough, region, stack: 'CREATE_COMPLETE', version: '0.1.0+4fc0cfb8' };
    const { code, out, err } = await operator.run('doctor', '--deliveries-per-second', String(load));
    expect([code, err]).toEqual([2, 'To do first: events per second\n']);
    expect(out).toContain('CREATE_COMPLETE, 0.1.0+4fc0cfb8');
    expect(out).toMatch(new RegExp(`events per second +${quota} `));
  },
);

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
