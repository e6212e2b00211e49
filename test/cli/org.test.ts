import { updateOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { countingBytes } from '../fakes/sources.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
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
  expect(await operator.json('org', 'update', orgId, '--plan', 'free')).toMatchObject({
    org_id: orgId,
    name: 'Corner Shop',
    plan: 'free',
  });
  expect(await operator.json('org', 'update', orgId, '--name', 'Mall')).toMatchObject({ name: 'Mall', plan: 'free' });
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

test('changes how many assistants an organization may have', async () => {
  const orgId = await operator.organization('paid');
  const create = [
    'assistant',
    'create',
    '--org',
    orgId,
    '--name',
    'Shop',
    '--domain',
    'a.example',
    '--rate-limit',
    '9',
  ];
  expect(await operator.json('org', 'update', orgId, '--assistants', '1')).toMatchObject({ assistant_limit: 1 });
  await operator.json(...create);
  expect(await operator.run(...create)).toMatchObject({
    code: 2,
    err: 'assistants: the organization may have at most 1\n',
  });
  await operator.json('org', 'update', orgId, '--assistants', '2');
  await operator.json(...create);
  expect(await operator.run('org', 'update', orgId, '--assistants', '10001')).toMatchObject({ code: 2 });
});

test('refuses an update without settings, and of an unknown organization', async () => {
  expect(await operator.run('org', 'update', 'org_x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--plan'),
  });
  expect(await operator.run('org', 'update', 'org_x', '--plan', 'free')).toEqual({
    code: 3,
    out: '',
    err: 'org_id: no organization org_x\n',
  });
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
  operator.whileWaiting = () => true;
  operator.terminal = true;
  expect((await operator.run('org', 'suspend', org_id)).err).toBe('Nothing was changed\n');
  operator.answer = 'y';
  expect((await operator.run('org', 'suspend', org_id)).out).toMatch(/^Suspended the organization\n/);
  expect((await operator.run('assistant', 'show', site_id)).out).toMatch(/suspended +true/);
  expect(await operator.json('org', 'resume', org_id)).toEqual({ org_id, suspended: false, assistants: 1, actions: 1 });
  expect((await operator.run('assistant', 'show', site_id)).out).not.toMatch(/suspended +true/);
  expect((await operator.run('org', 'suspend', 'org_x', '--yes')).code).toBe(3);
});

describe('the quota of an organization', () => {
  test('is set, shown and removed', async () => {
    operator.whileWaiting = () => true;
    const { org_id } = await operator.action();
    expect(await operator.json('org', 'quota', org_id, '--per-day', '500')).toEqual({
      org_id,
      daily_outbound_quota: 500,
      assistants: 1,
      actions: 1,
    });
    expect((await operator.run('org', 'update', org_id, '--name', 'Mall')).out).toMatch(/daily_outbound_quota +500\n/);
    const { out } = await operator.run('org', 'quota', org_id, '--none');
    expect(out).toMatch(/^Changed the quota of the organization\n/);
    expect(out).toMatch(/daily_outbound_quota +–/);
  });

  test.each([
    [[], 2, 'Give either --per-day or --none\n'],
    [['--per-day', '5', '--none'], 2, 'Give either --per-day or --none\n'],
    [['--per-day', '0'], 2, 'daily_outbound_quota: '],
    [['--per-day', 'many'], 2, 'It must be a whole number.'],
  ])('is refused with %j', async (words, code, message) => {
    const { org_id } = await operator.action();
    const refused = await operator.run('org', 'quota', org_id, ...words);
    expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect(operator.store.organizations.get(org_id)).not.toHaveProperty('daily_outbound_quota');
  });

  test('is refused for an organization that does not exist', async () => {
    expect((await operator.run('org', 'quota', 'org_x', '--per-day', '5')).code).toBe(3);
  });
});
