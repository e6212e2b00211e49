import { updateOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { countingBytes } from '../fakes/sources.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
  operator.whileWaiting = () => true;
});

test('creates an organization with the plan free by default', async () => {
  expect(await operator.json('org', 'create', '--name', 'Corner Shop')).toEqual({
    org_id: expect.stringMatching(/^org_[a-z2-7]{20}$/),
    name: 'Corner Shop',
    plan: 'free',
    created_at: '2026-03-04T05:06:07.250Z',
  });
  const { out } = await operator.run('org', 'create', '--name', 'Corner Shop', '--plan', 'Paid');
  expect(out).toMatch(
    /^Created the organization\n {2}org_id {6}org_\w{20}\n {2}name {8}Corner Shop\n {2}plan {8}paid\n/,
  );
});

test.each([
  [['--name', 'x'.repeat(101)], 'name: must be at most 100 characters'],
  [['--name', 'Shop', '--plan', 'gold'], 'plan: must be one of "free", "paid"'],
])('refuses %j and names the field', async (words, message) => {
  expect(await operator.run('org', 'create', ...words)).toEqual({ code: 2, out: '', err: `${message}\n` });
  expect(operator.store.organizations.size).toBe(0);
});

test('changes only the settings that the options name', async () => {
  const orgId = await operator.organization('paid');
  const update = (...words: string[]) => operator.json('org', 'update', orgId, ...words);
  expect(await update('--plan', 'free')).toMatchObject({ org_id: orgId, name: 'Corner Shop', plan: 'free' });
  expect(await update('--name', 'Mall', '--assistants', '1')).toMatchObject({
    name: 'Mall',
    plan: 'free',
    assistant_limit: 1,
  });
  expect((await operator.run('org', 'update', orgId)).err).toContain('--plan');
  expect((await operator.run('org', 'update', orgId, '--assistants', '10001')).code).toBe(2);
});

test('an update keeps what another operator changes at the same moment', async () => {
  const orgId = await operator.organization('free');
  const { changeOrganization } = operator.store;
  const store = {
    ...operator.store,
    changeOrganization: async (...[id, change]: Parameters<typeof changeOrganization>) => {
      await changeOrganization(id, { plan: 'paid' });
      await changeOrganization(id, change);
    },
  };
  const ports = { store, now: operator.clock.now, randomBytes: countingBytes() };
  await updateOrganization(orgId, { name: 'Mall' }, ports);
  expect(operator.store.organizations.get(orgId)).toMatchObject({ name: 'Mall', plan: 'paid' });
});

test('lists organizations by name', async () => {
  expect((await operator.run('org', 'list')).out).toBe('No organizations yet: npx va-wave org create --name …\n');
  expect(await operator.json('org', 'list')).toEqual([]);
  for (const name of ['Zoo', 'Ärzte', 'Mall']) await operator.json('org', 'create', '--name', name);
  const names = (await operator.json<{ name: string }[]>('org', 'list')).map((organization) => organization.name);
  expect(names).toEqual(['Ärzte', 'Mall', 'Zoo']);
  expect((await operator.run('org', 'list')).out.split('\n')[0]).toMatch(/^ORG_ID +PLAN +CREATED +NAME$/);
});

test('suspends an organization after a confirmation, shows it, and resumes it', async () => {
  const { org_id, site_id } = await operator.action();
  operator.terminal = true;
  expect((await operator.run('org', 'suspend', org_id)).err).toBe('Nothing was changed\n');
  operator.answer = 'y';
  expect((await operator.run('org', 'suspend', org_id)).out).toMatch(/^Suspended the organization\n/);
  expect((await operator.run('assistant', 'show', site_id)).out).toMatch(/suspended +true/);
  expect(await operator.json('org', 'resume', org_id)).toEqual({ org_id, suspended: false, assistants: 1, actions: 1 });
  expect((await operator.run('assistant', 'show', site_id)).out).not.toMatch(/suspended +true/);
});

test('sets and removes the quota of an organization', async () => {
  const { org_id } = await operator.action();
  expect(await operator.json('org', 'quota', org_id, '--per-day', '500')).toEqual({
    org_id,
    daily_outbound_quota: 500,
    assistants: 1,
    actions: 1,
  });
  expect((await operator.run('org', 'quota', org_id, '--none')).out).toMatch(/daily_outbound_quota +–/);
  for (const words of [[], ['--per-day', '5', '--none'], ['--per-day', '0'], ['--per-day', 'many']]) {
    expect((await operator.run('org', 'quota', org_id, ...words)).code).toBe(2);
  }
});

test('erases an organization with all its data, without a question with --yes', async () => {
  const { org_id } = await operator.action();
  await operator.json('member', 'add', '--org', org_id, '--email', 'ada@example.com');
  expect(await operator.json('org', 'delete', org_id, '--yes')).toEqual({
    org_id,
    assistants: 1,
    members: 1,
    actions: 1,
    log_records: 3,
    conversation_items: 2,
  });
  const { store, members } = operator;
  expect([store.organizations.size, store.assistants.size, store.actions.size, members.size]).toEqual([0, 0, 0, 0]);
});
