import { FakeOperator } from './operator.ts';

const FILE = '/home/ada/.config/va-wave/context.json';

/** Creates an operator with a home folder, an organization, an assistant and an Action. */
async function operatorWithAction() {
  const operator = new FakeOperator();
  const { site_id, org_id, action_id } = await operator.action();
  operator.environment = { HOME: '/home/ada' };
  return { operator, site_id, org_id, action_id };
}

test('uses the stored defaults in the next commands', async () => {
  const { operator, site_id, org_id, action_id } = await operatorWithAction();
  const { code, out } = await operator.run('use', '--local', '/srv/ready.json', '--site', site_id);
  expect([code, out]).toEqual([
    0,
    `Stored the defaults\n  local  /srv/ready.json\n  org    ${org_id}\n  site   ${site_id}\n`,
  ]);
  expect(await operator.json('use')).toEqual({ local: '/srv/ready.json', org: org_id, site: site_id });
  operator.targets.length = 0;
  expect(await operator.json('assistant', 'show')).toMatchObject({ site_id });
  expect(await operator.json('assistant', 'list')).toMatchObject([{ site_id }]);
  expect(await operator.json('action', 'list')).toMatchObject([{ action_id }]);
  expect(await operator.json('member', 'list')).toEqual([]);
  expect(await operator.json('event', 'put', 'sms.sent')).toMatchObject({ org_id, site_id });
  expect(new Set(operator.targets.map(({ local }) => local))).toEqual(new Set(['/srv/ready.json']));
});

test('options take precedence over the environment, and the environment over the stored defaults', async () => {
  const { operator, site_id, org_id } = await operatorWithAction();
  await operator.json('use', '--stack', 'Stored', '--region', 'eu-west-1', '--site', site_id);
  operator.targets.length = 0;
  await operator.run('org', 'list');
  operator.environment = { HOME: '/home/ada', VA_WAVE_STACK: 'Named', VA_WAVE_ORG: 'org_named' };
  await operator.run('org', 'list');
  await operator.run('org', 'list', '--stack', 'Said');
  expect(operator.targets).toEqual([{ stack: 'Stored', region: 'eu-west-1' }, { stack: 'Named' }, { stack: 'Said' }]);
  expect((await operator.run('assistant', 'list')).err).toContain('org_named');
  expect(await operator.json('assistant', 'list', '--org', org_id)).toHaveLength(1);
});

test('stores ids together with the deployment that has them, also when the environment names it', async () => {
  const { operator, site_id, org_id } = await operatorWithAction();
  await operator.json('use', '--stack', 'Stored', '--region', 'eu-west-1');
  operator.environment = { HOME: '/home/ada', VA_WAVE_STACK: 'Named' };
  expect(await operator.json('use', '--site', site_id)).toEqual({ stack: 'Named', org: org_id, site: site_id });
  operator.environment = { HOME: '/home/ada' };
  expect(await operator.json('use', '--org', org_id)).toEqual({ stack: 'Named', org: org_id });
});

test('a command that names a deployment uses no ids of another deployment', async () => {
  const { operator, site_id } = await operatorWithAction();
  await operator.json('use', '--stack', 'Stored', '--site', site_id);
  expect(await operator.run('assistant', 'list', '--local')).toMatchObject({
    code: 2,
    err: expect.stringContaining("'--org <org_id>' not specified"),
  });
  operator.environment = { HOME: '/home/ada', VA_WAVE_LOCAL: '1' };
  expect((await operator.run('assistant', 'list')).code).toBe(2);
  expect((await operator.run('org', 'list')).code).toBe(0);
  expect(operator.targets.at(-1)?.local).toMatch(/\/\.local\/ready\.json$/);
});

test('an organization in the options removes the stored assistant', async () => {
  const { operator, site_id } = await operatorWithAction();
  await operator.json('use', '--site', site_id);
  const other = await operator.json<{ org_id: string }>('org', 'create', '--name', 'Other');
  expect(await operator.json('action', 'list', '--org', other.org_id)).toEqual([]);
  expect(await operator.json('event', 'put', 'sms.sent', '--org', other.org_id)).toMatchObject({
    org_id: other.org_id,
  });
  expect((await operator.run('action', 'list', '--org', other.org_id, '--site', site_id)).code).toBe(2);
});

test.each([
  ['org', 'delete'],
  ['org', 'suspend'],
  ['assistant', 'delete'],
  ['secret', 'regenerate'],
])('%s %s requires its id on the command line', async (...words) => {
  const { operator, site_id } = await operatorWithAction();
  await operator.json('use', '--site', site_id);
  expect(await operator.run(...words, '--yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('missing required argument'),
  });
});

test('removes the defaults with --clear, and refuses an invalid file', async () => {
  const { operator, site_id, org_id } = await operatorWithAction();
  expect((await operator.run('use', '--site', 'site_x')).code).toBe(3);
  expect((await operator.run('use', '--org', 'org_x')).code).toBe(3);
  const other = await operator.json<{ org_id: string }>('org', 'create', '--name', 'Other');
  expect((await operator.run('use', '--org', other.org_id, '--site', site_id)).code).toBe(2);
  expect(operator.files).toEqual({});
  await operator.json('use', '--org', org_id);
  expect((await operator.run('use', '--clear', '--org', org_id)).code).toBe(2);
  expect((await operator.run('use', '--clear')).out).toBe('No defaults\n');
  expect(await operator.json('use')).toEqual({});
  operator.files[FILE] = '{"orgs": 1}';
  expect(await operator.run('org', 'list')).toMatchObject({ code: 1, err: expect.stringContaining(FILE) });
  operator.environment = {};
  expect((await operator.run('org', 'list')).code).toBe(0);
  expect((await operator.run('use', '--org', org_id)).code).toBe(2);
});

test('prints hints that can be pasted', async () => {
  const { operator, site_id } = await operatorWithAction();
  const event = ['--trigger', 'Event', '--name', 'Two', '--url', 'https://crm.example/', '--event', 'sms.sent'];
  const { err } = await operator.run('action', 'create', '--site', site_id, ...event, '--local');
  expect(err).toMatch(/: npx va-wave action secret act_\w+ --local\n$/);
  const named = await operator.run('action', 'create', '--site', site_id, ...event, '--stack', 'S', '--region', 'r');
  expect(named.err).toMatch(/: npx va-wave action secret act_\w+ --stack S --region r\n$/);
});

test('uses colours on request, and never in JSON', async () => {
  const { operator, action_id, org_id } = await operatorWithAction();
  operator.colour = true;
  const { out } = await operator.run('action', 'show', action_id);
  expect(out).toContain('\u001b[32mon\u001b[39m');
  const list = await operator.run('assistant', 'list', '--org', org_id);
  expect(list.out.startsWith('\u001b[1mSITE_ID\u001b[22m ')).toBe(true);
  operator.colour = false;
  const plain = await operator.run('action', 'show', action_id);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  expect(out.replace(/\u001b\[\d+m/g, '')).toBe(plain.out);
  expect((await operator.run('action', 'show', action_id, '--json')).out).not.toContain('\u001b');
});

test('prints its version', async () => {
  expect(await new FakeOperator().run('--version')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
