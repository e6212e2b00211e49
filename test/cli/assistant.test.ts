import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
  operator.whileWaiting = () => true;
});

test('creates an assistant from all options', async () => {
  const hosts = ['--allowed-domain', 'https://Shop.example/page', '--allowed-domain', 'b.example:8443'];
  const addresses = ['--ip', '2001:DB8::1', '--ip', '198.51.100.7'];
  const created = await operator.assistant('--mode', 'session-signed', ...hosts, ...addresses, '--disabled');
  expect(created).toMatchObject({
    name: 'Shop',
    domain: 'shop.example',
    hourly_rate_limit: 1000,
    authentication_mode: 'Session Signed',
    allowed_domains: ['shop.example', 'b.example:8443'],
    ip_allowlist: ['2001:db8::1', '198.51.100.7'],
    enabled: false,
    server_secret: null,
    version: 1,
  });
});

test('shows the tag that embeds the widget', async () => {
  const { site_id } = await operator.assistant();
  const { out, err } = await operator.run('assistant', 'show', site_id);
  expect(out).toMatch(/server_secret +–\n/);
  expect(err).toContain(`src="https://va-wave.example/static/va-wave-widget.js" data-site-id="${site_id}"`);
  await operator.run('assistant', 'update', site_id, '--mode', 'Session Signed');
  expect((await operator.run('assistant', 'show', site_id)).err).toContain('data-session-token="…"');
});

test('changes only the settings that the options name', async () => {
  const { site_id } = await operator.assistant('--allowed-domain', 'a.example', '--ip', '198.51.100.7');
  expect(await operator.json('assistant', 'update', site_id, '--disable', '--rate-limit', '7')).toMatchObject({
    name: 'Shop',
    enabled: false,
    hourly_rate_limit: 7,
    allowed_domains: ['a.example'],
    ip_allowlist: ['198.51.100.7'],
    version: 2,
  });
  const cleared = ['--enable', '--clear-allowed-domains', '--clear-ip-allowlist', '--domain', ''];
  expect(await operator.json('assistant', 'update', site_id, ...cleared)).toMatchObject({
    enabled: true,
    allowed_domains: [],
    ip_allowlist: [],
    domain: '',
    version: 3,
  });
});

test.each([
  [[], 'Nothing to change'],
  [['--enable', '--disable'], 'enabled: --enable and --disable exclude each other'],
  [['--rate-limit', '1.5'], 'It must be a whole number'],
  [['--mode', 'open'], 'authentication_mode: '],
])('refuses a change with %j', async (words, message) => {
  const { site_id } = await operator.assistant();
  const refused = await operator.run('assistant', 'update', site_id, ...words);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  expect(operator.store.assistants.get(site_id)?.version).toBe(1);
});

test('sets and removes escalation channels and the limit of submissions', async () => {
  const { site_id } = await operator.assistant();
  const topic = 'arn:aws:sns:eu-west-1:111122223333:va-wave-escalation-shop';
  const escalation = (...words: string[]) => operator.run('assistant', 'escalation', site_id, ...words, '--json');
  expect(JSON.parse((await escalation('--topic', topic)).out).escalation_topics).toEqual([topic]);
  expect(JSON.parse((await escalation('--none')).out).escalation_topics).toEqual([]);
  expect([(await escalation()).code, (await escalation('--none', '--topic', topic)).code]).toEqual([2, 2]);
  const limited = await operator.json('assistant', 'form-limit', site_id, '--per-hour', '20000');
  expect(JSON.stringify(limited)).toContain('20000');
});

test('lists the assistants of an organization', async () => {
  const { site_id, org_id } = await operator.assistant();
  await operator.assistant();
  expect(await operator.json('assistant', 'list', '--org', org_id)).toEqual([expect.objectContaining({ site_id })]);
  expect((await operator.run('assistant', 'list', '--org', org_id)).out).toContain(site_id);
  expect((await operator.run('assistant', 'list', '--org', 'org_x')).code).toBe(3);
});

test('erases an assistant after the operator has typed its id', async () => {
  const { site_id, org_id } = await operator.action();
  operator.terminal = true;
  operator.answer = 'y';
  expect(await operator.run('assistant', 'delete', site_id)).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
  expect(operator.questions).toEqual([
    `Erase the assistant Shop (${site_id}) and all data of its visitors? Type ${site_id} to continue: `,
  ]);
  expect(operator.store.assistants.get(site_id)?.enabled).toBe(true);
  operator.answer = site_id;
  expect(await operator.run('assistant', 'delete', site_id)).toMatchObject({
    code: 0,
    out: `Erased the assistant\n  site_id             ${site_id}\n  actions             1\n  log_records         3\n  conversation_items  2\n`,
  });
  expect([operator.store.assistants.size, operator.store.actions.size]).toEqual([0, 0]);
  expect(operator.store.organizations.has(org_id)).toBe(true);
});

test('an erasure that was interrupted continues when it is run again', async () => {
  const { site_id } = await operator.action();
  operator.whileWaiting = (pauses) => pauses < 4;
  expect(await operator.run('assistant', 'delete', site_id, '--yes')).toMatchObject({
    code: 1,
    err: 'Interrupted: run the command again to continue\n',
  });
  expect(operator.store.assistants.get(site_id)?.enabled).toBe(false);
  operator.whileWaiting = () => true;
  expect((await operator.run('assistant', 'delete', site_id, '--yes')).code).toBe(0);
  expect(operator.store.assistants.size).toBe(0);
});
