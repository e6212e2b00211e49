import { FakeOperator } from './operator.ts';

const FILE = '/home/ada/.config/va-wave/context.json';

/** Somebody at home, with an organization and an assistant. */
async function operatorWithAction() {
  const operator = new FakeOperator();
  const { site_id, org_id, action_id } = await operator.action();
  operator.environment = { HOME: '/home/ada' };
  return { operator, site_id, org_id, action_id };
}

test('what is said once is meant from then on', async () => {
  const { operator, site_id, org_id, action_id } = await operatorWithAction();
  const { code, out } = await operator.run('use', '--local', '/srv/ready.json', '--site', site_id);
  expect([code, out]).toEqual([
    0,
    `Meant from now on\n  local  /srv/ready.json\n  org    ${org_id}\n  site   ${site_id}\n`,
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

test('words go before the environment, and that before what is stored', async () => {
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

test('a command that names a deployment uses no ids of another one', async () => {
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

test('an organization that is named leaves the assistant of another one out', async () => {
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
])('%s %s wants its id said', async (...words) => {
  const { operator, site_id } = await operatorWithAction();
  await operator.json('use', '--site', site_id);
  expect(await operator.run(...words, '--yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('missing required argument'),
  });
});

test('is forgotten when asked, and refused when it is wrong', async () => {
  const { operator, site_id, org_id } = await operatorWithAction();
  expect((await operator.run('use', '--site', 'site_x')).code).toBe(3);
  expect((await operator.run('use', '--org', 'org_x')).code).toBe(3);
  const other = await operator.json<{ org_id: string }>('org', 'create', '--name', 'Other');
  expect((await operator.run('use', '--org', other.org_id, '--site', site_id)).code).toBe(2);
  expect(operator.files).toEqual({});
  await operator.json('use', '--org', org_id);
  expect((await operator.run('use', '--clear', '--org', org_id)).code).toBe(2);
  expect((await operator.run('use', '--clear')).out).toBe('Nothing is meant where nothing is said\n');
  expect(await operator.json('use')).toEqual({});
  operator.files[FILE] = '{"orgs": 1}';
  expect(await operator.run('org', 'list')).toMatchObject({ code: 1, err: expect.stringContaining(FILE) });
  operator.environment = {};
  expect((await operator.run('org', 'list')).code).toBe(0);
  expect((await operator.run('use', '--org', org_id)).code).toBe(2);
});

test('hints can be pasted', async () => {
  const { operator, site_id } = await operatorWithAction();
  const event = ['--trigger', 'Event', '--name', 'Two', '--url', 'https://crm.example/', '--event', 'sms.sent'];
  const { err } = await operator.run('action', 'create', '--site', site_id, ...event, '--local');
  expect(err).toMatch(/: npx va-wave action secret act_\w+ --local\n$/);
  const named = await operator.run('action', 'create', '--site', site_id, ...event, '--stack', 'S', '--region', 'r');
  expect(named.err).toMatch(/: npx va-wave action secret act_\w+ --stack S --region r\n$/);
});

test('colours where they are wanted, and never in JSON', async () => {
  const { operator, site_id } = await operatorWithAction();
  operator.colour = true;
  const { out } = await operator.run('assistant', 'show', site_id);
  expect(out).toContain('\u001b[32mon\u001b[39m');
  const list = await operator.run(
    'assistant',
    'list',
    '--org',
    (await operator.json<{ org_id: string }>('assistant', 'show', site_id)).org_id,
  );
  expect(list.out.startsWith('\u001b[1mSITE_ID\u001b[22m ')).toBe(true);
  operator.colour = false;
  const plain = await operator.run('assistant', 'show', site_id);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences are what is taken away
  expect(out.replace(/\u001b\[\d+m/g, '')).toBe(plain.out);
  expect((await operator.run('assistant', 'show', site_id, '--json')).out).not.toContain('\u001b');
});

test('says its version', async () => {
  expect(await new FakeOperator().run('--version')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
