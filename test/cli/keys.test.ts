import { activeKey } from '../../src/domain/auth/key-ring.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

test('creates an origin secret that a header can contain, and never prints it', async () => {
  const { code, out, err } = await operator.run('keys', 'rotate-origin', '--yes');
  expect([code, out, err]).toEqual([
    0,
    'Replaced the origin secret\n  version_id  version-1\n',
    'Next, run: npx cdk deploy -c originSecretVersion=version-1\n',
  ]);
  expect(await operator.json('keys', 'rotate-origin', '--yes')).toEqual({ version_id: 'version-2' });
  const [first, second] = operator.originSecrets;
  expect(first).toMatch(/^[\w-]{48}$/);
  expect(second).not.toBe(first);
});

test('reseal reports its result, and ends after Ctrl-C', async () => {
  expect(await operator.run('keys', 'reseal', '--yes')).toMatchObject({
    code: 1,
    err: 'Interrupted: run the command again to continue\n',
  });
  expect(operator.sealingRing.ring).toHaveLength(2);
  const [added] = operator.sealingRing.ring;
  operator.clock.advance(400_000);
  operator.whileWaiting = () => true;
  expect(await operator.json('keys', 'reseal', '--yes')).toEqual({
    kid: added.kid,
    resealed: 0,
    dropped_keys: 1,
    lost: [],
  });
  expect(operator.sealingRing.ring).toEqual([added]);
});

test('revoke leaves one new key, which signs at once, and reports when the old keys become invalid', async () => {
  const done = await operator.json<{ kid: string; revoked: string[]; ended_at: string }>('keys', 'revoke', '--yes');
  expect(operator.tokenRing.ring).toEqual([{ kid: done.kid, key: expect.stringMatching(/^[\w-]{64}$/) }]);
  expect(activeKey(operator.tokenRing.ring, operator.clock.now()).kid).toBe(done.kid);
  expect(done.revoked).toEqual(['k2', 'k1']);
  expect(new Date(done.ended_at).getTime() - operator.clock.now().getTime()).toBe(300_000);
});

test('revoke asks for confirmation at a terminal, and changes nothing after no', async () => {
  operator.terminal = true;
  operator.answer = 'no';
  expect(await operator.run('keys', 'revoke')).toMatchObject({ code: 5 });
  expect(operator.questions).toEqual(['End every session token? [y/N] ']);
  expect(operator.tokenRing.ring).toHaveLength(2);
});

test('no command prints the text of a key', async () => {
  const { out, err } = await operator.run('keys', 'revoke', '--yes');
  for (const { key } of operator.tokenRing.ring) expect(out + err).not.toContain(key);
});
