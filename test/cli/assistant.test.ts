import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:va-wave-escalation-shop';

test('creates an assistant with normalized hosts and addresses', async () => {
  const created = await operator.assistant(
    ...[
      '--mode',
      'session-signed',
      '--allowed-domain',
      'https://Shop.example/page',
      '--allowed-domain',
      'b.example:8443',
    ],
    ...['--ip', '2001:DB8::1', '--ip', '198.51.100.7', '--disabled'],
  );
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

test('prints the result, and the tag that embeds the widget', async () => {
  const { site_id } = await operator.assistant();
  const { out, err } = await operator.run('assistant', 'show', site_id);
  expect(out).toMatch(/server_secret +–\n/);
  expect(err).toContain(`src="https://va-wave.example/static/va-wave-widget.js" data-site-id="${site_id}"`);
  await operator.run('assistant', 'update', site_id, '--mode', 'Session Signed');
  expect((await operator.run('assistant', 'show', site_id)).err).toContain('data-session-token="…"');
});

test.each([
  [['--rate-limit', 'many'], 'It must be a whole number'],
  [['--rate-limit', '1.5'], 'It must be a whole number'],
  [['--mode', 'open'], 'authentication_mode: '],
  [['--ip', '10.0.0.0/8'], 'ip_allowlist.0: must be an IPv4 or IPv6 address'],
])('refuses %j and names the field', async (words, message) => {
  const { site_id, org_id } = await operator.assistant();
  const defaults = ['--org', org_id, '--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '5'];
  for (const command of [
    ['create', ...defaults, ...words],
    ['update', site_id, ...words],
  ]) {
    const { code, err } = await operator.run('assistant', ...command);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(operator.store.assistants.get(site_id)?.version).toBe(1);
  expect(operator.store.assistants.size).toBe(1);
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

test('refuses a change without settings, contradicting options and an unknown assistant', async () => {
  const { site_id } = await operator.assistant();
  expect((await operator.run('assistant', 'update', site_id)).code).toBe(2);
  expect(await operator.run('assistant', 'update', site_id, '--enable', '--disable')).toMatchObject({
    code: 2,
    err: 'enabled: --enable and --disable exclude each other\n',
  });
  expect(await operator.run('assistant', 'show', 'site_x')).toMatchObject({
    code: 3,
    err: 'site_id: no assistant site_x\n',
  });
});

test('sets and removes escalation channels', async () => {
  const { site_id } = await operator.assistant();
  expect(await operator.json('assistant', 'escalation', site_id, '--topic', TOPIC)).toMatchObject({
    escalation_topics: [TOPIC],
  });
  expect(await operator.json('assistant', 'escalation', site_id, '--none')).toMatchObject({ escalation_topics: [] });
  const other = TOPIC.replace('va-wave-escalation-', 'other-');
  const { code, err } = await operator.run('assistant', 'escalation', site_id, '--topic', other);
  expect([code, err]).toEqual([2, expect.stringMatching(/^escalation_topics\.0: /)]);
  expect((await operator.run('assistant', 'escalation', site_id)).code).toBe(2);
  expect((await operator.run('assistant', 'escalation', site_id, '--none', '--topic', TOPIC)).code).toBe(2);
});

test('lists the assistants of an organization, and refuses an unknown organization', async () => {
  const { site_id, org_id } = await operator.assistant();
  await operator.assistant();
  expect(await operator.json('assistant', 'list', '--org', org_id)).toEqual([expect.objectContaining({ site_id })]);
  expect((await operator.run('assistant', 'list', '--org', org_id)).out).toContain(site_id);
  expect((await operator.run('assistant', 'list', '--org', 'org_x')).code).toBe(3);
});
