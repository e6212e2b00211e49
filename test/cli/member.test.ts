import type { Membership } from '../../src/contract/organizations.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

test('adds a member, invites a new login and changes a role', async () => {
  const orgId = await operator.organization();
  const words = ['member', 'add', '--org', orgId, '--email', 'Ada@Example.com'];
  const { code, out } = await operator.run(...words);
  expect([code, out]).toEqual([0, expect.stringMatching(/^Created the login and added the member\n/)]);
  expect(await operator.json(...words, '--role', 'Admin')).toMatchObject({
    org_id: orgId,
    email: 'ada@example.com',
    role: 'admin',
  });
  expect(await operator.json('member', 'list', '--org', orgId)).toEqual([
    expect.objectContaining({ email: 'ada@example.com', role: 'admin' }),
  ]);
});

test('removes a member and keeps the login', async () => {
  const orgId = await operator.organization();
  await operator.json('member', 'add', '--org', orgId, '--email', 'ada@example.com');
  const words = ['member', 'remove', '--org', orgId, '--email', 'ada@example.com'];
  expect(await operator.json(...words)).toMatchObject({ email: 'ada@example.com' });
  expect(operator.members.size).toBe(0);
  expect(operator.logins.size).toBe(1);
  expect((await operator.run(...words)).code).toBe(3);
  expect((await operator.run('member', 'list', '--org', orgId)).out).toMatch(/^No members yet/);
});

test('removes every membership of an address, also that of a login which was deleted and invited again', async () => {
  const orgId = await operator.organization();
  const words = ['--org', orgId, '--email', 'ada@example.com'];
  const added = await operator.json<Membership>('member', 'add', ...words);
  operator.members.set(`${orgId} deleted`, { ...added, sub: 'deleted' });
  await operator.json('member', 'remove', ...words);
  expect(operator.members.size).toBe(0);
});

test.each([
  [2, 'email: must be an email address', ['--email', 'ada']],
  [2, 'role: ', ['--email', 'ada@example.com', '--role', 'owner']],
  [3, 'org_id: no organization org_x', ['--email', 'ada@example.com', '--org', 'org_x']],
])('ends with exit code %i: %s', async (code, message, words) => {
  const orgId = await operator.organization();
  const ended = await operator.run('member', 'add', '--org', orgId, ...words);
  expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)]);
  expect(operator.logins.size).toBe(0);
});

test('refuses an address that its login has not verified', async () => {
  const orgId = await operator.organization();
  operator.unverifiedLogins.add('ada@example.com');
  const { code, err } = await operator.run('member', 'add', '--org', orgId, '--email', 'ada@example.com');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('email: the login that uses ada@example.com has not verified'),
  ]);
  expect(operator.members.size).toBe(0);
});
