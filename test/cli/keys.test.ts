import { FakeOperator } from './operator.ts';

test('the origin secret gets a value that fits into a header, and is never shown', async () => {
  const operator = new FakeOperator();
  const { code, out, err } = await operator.run('keys', 'rotate-origin');
  expect([code, out, err]).toEqual([
    0,
    'Replaced the origin secret\n  version_id  version-1\n',
    'Now: npx cdk deploy -c originSecretVersion=version-1\n',
  ]);
  expect(await operator.json('keys', 'rotate-origin')).toEqual({ version_id: 'version-2' });
  const [first, second] = operator.originSecrets;
  expect(first).toMatch(/^[\w-]{48}$/);
  expect(second).not.toBe(first);
});

test('reseal says what it did, and is interrupted by Ctrl-C', async () => {
  const operator = new FakeOperator();
  expect(await operator.run('keys', 'reseal')).toMatchObject({ code: 1, err: 'Interrupted; run it again to go on\n' });
  expect(operator.sealingRing).toHaveLength(2);
  const [added] = operator.sealingRing;
  operator.clock.advance(400_000);
  operator.whileWaiting = () => true;
  expect(await operator.json('keys', 'reseal')).toEqual({ kid: added.kid, resealed: 0, dropped_keys: 1, lost: [] });
  expect(operator.sealingRing).toEqual([added]);
});
