import { globSync, readFileSync } from 'node:fs';
import { KEYS } from '../../../src/adapters/dynamodb/configuration-items.ts';
import { AUDIT_OPERATIONS } from '../../../src/contract/organizations.ts';
import { OPERATOR_AUTHOR } from '../../fakes/configuration.ts';
import { CONFIGURATION } from '../../fakes/configuration-store.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
  operator.whileWaiting = () => true;
});

const URL = ['--url', 'https://crm.example/'];
const EVENT = ['--trigger', 'Event', '--name', 'Tell', ...URL, '--event', 'message.sent'];
const FORM = ['--trigger', 'Form', '--name', 'Contact', ...URL, '--field', 'mail:Mail:Email'];
const AI = ['--trigger', 'AI-decided', '--name', 'Find', ...URL, '--description', 'Finds an order'];
const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:va-wave-escalation-shop';
const MEMBER = ['member', 'add', '--org', 'ORG', '--email'];
const CREATE = ['action', 'create', '--site', 'SITE'];

const createAction = async (...words: readonly string[]) => {
  const { site_id } = await operator.assistant();
  return operator.json<{ action_id: string }>('action', 'create', '--site', site_id, ...words);
};

test.each([
  [['org', 'create', '--name', 'x'.repeat(101)], 'name: must be at most 100 characters'],
  [['org', 'create', '--name', 'Shop', '--plan', 'gold'], 'plan: must be one of "free", "paid"'],
  [['org', 'update', 'ORG'], 'Nothing to change: give at least one setting'],
  [['org', 'update', 'ORG', '--assistants', '10001'], '--assistants: '],
  [['org', 'quota', 'ORG'], 'Give either --per-day or --none'],
  [['org', 'quota', 'ORG', '--per-day', '5', '--none'], 'Give either --per-day or --none'],
  [['org', 'quota', 'ORG', '--per-day', '1.5'], 'It must be a whole number'],
  [['org', 'quota', 'ORG', '--per-day', '-1'], '--per-day: '],
  [['assistant', 'update', 'SITE'], 'Nothing to change'],
  [['assistant', 'update', 'SITE', '--rate-limit', '0'], '--rate-limit: '],
  [['assistant', 'update', 'SITE', '--ip', 'x'], '--ip, no. 1: '],
  [['assistant', 'update', 'SITE', '--allowed-domain', 'a b'], '--allowed-domain, no. 1: '],
  [['assistant', 'form-limit', 'SITE', '--per-hour', '-1'], '--per-hour: '],
  [['assistant', 'update', 'SITE', '--mode', 'open'], '--mode: '],
  [['assistant', 'escalation', 'SITE'], 'Give either --none, or --topic'],
  [['assistant', 'escalation', 'SITE', '--none', '--topic', TOPIC], 'Give either --none, or --topic'],
  [['assistant', 'list', '--org', 'org_x'], '--org: no organization org_x', 3],
  [[...MEMBER, 'ada'], 'email: must be an email address'],
  [[...MEMBER, 'ada@example.com', '--role', 'owner'], '--role: '],
  [[...MEMBER, 'ada', '--role', 'owner'], '--email: must be an email address; --role: must be one of'],
  [[...MEMBER, 'not-verified@example.com'], 'email: not-verified@example.com does not name one login for certain'],
  [[...MEMBER, 'ada@example.com', '--sub', 'x'], 'email: name the login by either its email address or its sub'],
  [['member', 'add', '--org', 'ORG'], 'email: name the login by either its email address or its sub'],
  [['member', 'add', '--org', 'ORG', '--sub', 'x'], 'sub: the user pool has no login x', 3],
  [['member', 'remove', '--org', 'ORG', '--sub', 'x'], 'sub: x is not a member of org_', 3],
  [[...MEMBER, 'ada@example.com', '--org', 'org_x'], '--org: no organization org_x', 3],
  [[...CREATE, ...FORM, '--field', 'a:A'], '--field, no. 2: must be key:Label:Type'],
  [[...CREATE, ...AI, '--parameters', '{'], 'parameters: must be JSON'],
  [[...CREATE, ...AI, '--parameters', 'nope.json'], 'parameters: cannot read the file nope.json'],
  [[...CREATE, ...AI, '--response-map', 'a'], '--response-map: must be name=$.path'],
  [
    [...CREATE, ...AI, '--response-map', 'a=$.b', '--response-map', 'a=$.c'],
    '--response-map, no. 2, name: must not be',
  ],
  [['action', 'update', 'ACTION'], 'Nothing to change'],
  [['action', 'list'], 'Give either --org or --site'],
  [['action', 'list', '--org', 'ORG', '--site', 'SITE'], 'Give either --org or --site'],
])('refuses %j and changes nothing: %s', async (words, message, code = 2) => {
  const { org_id, site_id, action_id } = await operator.action();
  const ids: Readonly<Record<string, string>> = { ORG: org_id, SITE: site_id, ACTION: action_id };
  operator.addLogin({ email: 'not-verified@example.com', isVerified: false });
  const state = () => structuredClone(operator.store.items());
  const before = state();
  const refused = await operator.run(...words.map((word) => ids[word] ?? word));
  expect(refused).toEqual({ code, out: '', err: expect.stringContaining(message) });
  expect(state()).toEqual(before);
});

test.each([
  ['assistant update SITE --enable --disable'],
  ['assistant update SITE --allowed-domain a.example --clear-allowed-domains'],
  ['assistant update SITE --clear-ip-allowlist --ip 192.0.2.1'],
  ['action update ACTION --disable --enable'],
  ['action update ACTION --parameters {} --clear-parameters'],
  ['action update ACTION --clear-response-map --response-map a=$.b'],
])('refuses options that contradict each other: %s', async (line) => {
  const { site_id, action_id } = await operator.action();
  const words = line.replace('SITE', site_id).replace('ACTION', action_id).split(' ');
  const before = structuredClone(operator.store.items());
  expect(await operator.run(...words)).toMatchObject({ code: 2, err: expect.stringContaining('cannot be used with') });
  expect(operator.store.items()).toEqual(before);
});

describe('org', () => {
  test('creates an organization', async () => {
    const { out } = await operator.run('org', 'create', '--name', 'Corner Shop', '--plan', 'Paid');
    expect(out).toMatch(
      /^Created the organization\n {2}org_id {6}org_\w{20}\n {2}name {8}Corner Shop\n {2}plan +paid\n/,
    );
  });

  test('changes only the settings that the options name', async () => {
    const orgId = await operator.organization('paid');
    const update = (...words: string[]) => operator.json('org', 'update', orgId, ...words);
    expect(await update('--plan', 'free')).toMatchObject({ org_id: orgId, name: 'Corner Shop', plan: 'free' });
    operator.clock.advance(1);
    const changed = { name: 'Mall', plan: 'free', assistant_limit: 1 };
    expect(await update('--name', 'Mall', '--assistants', '1')).toMatchObject(changed);
  });

  test('lists organizations by name', async () => {
    expect((await operator.run('org', 'list')).out).toBe(
      'No organizations yet: npx --no-install va-wave org create --name …\n',
    );
    expect(await operator.json('org', 'list')).toEqual([]);
    for (const name of ['Zoo', 'Ärzte', 'Mall']) await operator.json('org', 'create', '--name', name);
    const names = (await operator.json<{ name: string }[]>('org', 'list')).map((organization) => organization.name);
    expect(names).toEqual(['Ärzte', 'Mall', 'Zoo']);
    expect((await operator.run('org', 'list')).out.split('\n')[0]).toMatch(/^ORG_ID +PLAN +CREATED +NAME$/);
  });

  test('lists the organizations and assistants that can be read, and then names the others', async () => {
    const { client } = operator.store;
    const { org_id } = await operator.json<{ org_id: string }>('org', 'create', '--name', 'Shop');
    const create = ['assistant', 'create', '--org', org_id, '--domain', 'a.example', '--rate-limit', '9', '--name'];
    const { site_id } = await operator.json<{ site_id: string }>(...create, 'Broken');
    await operator.json(...create, 'Whole');
    const malform = (pk: string, sk: string) =>
      client.putItem({ TableName: CONFIGURATION, Item: { pk, sk, assistant: {}, organization: {} } });
    await malform(`SITE#${site_id}`, 'ASSISTANT');
    await malform('ORG#org_broken', 'ORG');
    const assistants = await operator.run('assistant', 'list', '--org', org_id);
    expect(assistants).toMatchObject({ code: 1, out: expect.stringContaining('Whole') });
    expect(assistants.err).toContain(`SITE#${site_id} / ASSISTANT`);
    const organizations = await operator.run('org', 'list');
    expect(organizations).toMatchObject({ code: 1, out: expect.stringContaining('Shop') });
    expect(organizations.err).toContain('ORG#org_broken / ORG');
  });

  test('suspends an organization after a confirmation, shows it, and resumes it', async () => {
    const { org_id, site_id } = await operator.action();
    operator.terminal = true;
    expect((await operator.run('org', 'suspend', org_id)).err).toBe('Nothing was changed\n');
    operator.answer = 'y';
    expect((await operator.run('org', 'suspend', org_id)).out).toMatch(/^Suspended the organization\n/);
    expect((await operator.run('assistant', 'show', site_id)).out).toMatch(/suspended +true/);
    operator.clock.advance(1);
    const resumed = { org_id, suspended: false, assistants: 1, actions: 1 };
    expect(await operator.json('org', 'resume', org_id)).toEqual(resumed);
  });

  test('sets and removes the quota of an organization', async () => {
    const { org_id } = await operator.action();
    const set = { org_id, daily_outbound_quota: 500, assistants: 1, actions: 1 };
    expect(await operator.json('org', 'quota', org_id, '--per-day', '500')).toEqual(set);
    operator.clock.advance(1);
    expect((await operator.run('org', 'quota', org_id, '--none')).out).toMatch(/daily_outbound_quota +–/);
  });

  test('erases an organization with all its data, without a question with --yes', async () => {
    const { org_id } = await operator.action();
    await operator.json('member', 'add', '--org', org_id, '--email', 'ada@example.com');
    const erased = { assistants: 1, members: 1, actions: 1, log_records: 6, conversation_items: 2 };
    expect(await operator.json('org', 'delete', org_id, '--yes')).toEqual({ org_id, ...erased });
    expect(operator.store.items()).toEqual([]);
  });
});

test('member adds a member, invites a new login, changes a role, and removes the member but not the login', async () => {
  const orgId = await operator.organization();
  const add = ['member', 'add', '--org', orgId, '--email', 'Ada@Example.com'];
  expect((await operator.run(...add)).out).toMatch(/^Created the login and added the member\n/);
  const ada = { org_id: orgId, email: 'ada@example.com', role: 'admin' };
  expect((await operator.run(...add, '--role', 'Admin')).out).toMatch(/^Changed the role from member to admin\n/);
  // To add a member again demotes nobody.
  expect((await operator.run(...add)).out).toMatch(/^Already a member with the role admin\n/);
  expect(await operator.json(...add, '--provider', 'Okta')).toMatchObject(ada);
  expect(await operator.json('member', 'list', '--org', orgId)).toMatchObject([ada]);
  // A login that was deleted and invited again has two memberships.
  const { list, save } = operator.store.members;
  for (const membership of (await list(orgId)).memberships) await save({ ...membership, sub: 'deleted' });
  const remove = ['member', 'remove', '--org', orgId, '--email', 'ada@example.com'];
  expect(await operator.json(...remove)).toMatchObject({ email: 'ada@example.com' });
  expect([(await list(orgId)).memberships, operator.logins.length]).toEqual([[], 1]);
  expect((await operator.run(...remove)).code).toBe(3);
  expect((await operator.run('member', 'list', '--org', orgId)).out).toMatch(/^No members yet/);
});

test('member adds and removes a login by its sub, also one without an address', async () => {
  const orgId = await operator.organization();
  const named = ['--org', orgId, '--sub', operator.addLogin({ sub: 'sub-7', username: 'Grace' }).sub];
  expect((await operator.run('member', 'add', ...named)).out).toMatch(/^Added the member; the login already exists\n/);
  expect(await operator.json('member', 'list', '--org', orgId)).toMatchObject([{ sub: 'sub-7', email: 'grace' }]);
  expect(await operator.json('member', 'remove', ...named)).toMatchObject({ sub: 'sub-7' });
});

describe('assistant', () => {
  test('creates an assistant from all options', async () => {
    const hosts = ['--allowed-domain', 'https://Shop.example/page', '--allowed-domain', 'b.example:8443'];
    const addresses = ['--ip', '2001:DB8::1', '--ip', '198.51.100.7'];
    expect(await operator.assistant('--mode', 'session-signed', ...hosts, ...addresses, '--disable')).toMatchObject({
      name: 'Shop',
      domain: 'shop.example',
      hourly_rate_limit: 1000,
      authentication_mode: 'Session Signed',
      allowed_domains: ['shop.example', 'b.example:8443'],
      ip_allowlist: ['2001:db8::1', '198.51.100.7'],
      enabled: false,
      server_secret: null,
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

  test('changes only the settings that the options name, also the two that only the operator sets', async () => {
    const { site_id, org_id } = await operator.assistant('--allowed-domain', 'a.example', '--ip', '198.51.100.7');
    const change = (command: string, ...words: string[]) => operator.json('assistant', command, site_id, ...words);
    const lists = { allowed_domains: ['a.example'], ip_allowlist: ['198.51.100.7'] };
    const limited = { name: 'Shop', enabled: false, hourly_rate_limit: 7, ...lists };
    expect(await change('update', '--disable', '--rate-limit', '7')).toMatchObject(limited);
    const cleared = ['--enable', '--clear-allowed-domains', '--clear-ip-allowlist', '--domain', ''];
    const empty = { enabled: true, allowed_domains: [], ip_allowlist: [], domain: '' };
    expect(await change('update', ...cleared)).toMatchObject(empty);
    expect(await change('escalation', '--topic', TOPIC)).toMatchObject({ escalation_topics: [TOPIC] });
    expect(await change('escalation', '--none')).toMatchObject({ escalation_topics: [] });
    expect(JSON.stringify(await change('form-limit', '--per-hour', '20000'))).toContain('20000');
    expect(JSON.stringify(await change('form-limit', '--none'))).not.toContain('form_submissions_per_hour');
    await operator.assistant();
    expect(await operator.json('assistant', 'list', '--org', org_id)).toMatchObject([{ site_id, ...empty }]);
    expect((await operator.run('assistant', 'list', '--org', org_id)).out).toContain(site_id);
  });

  test('erases an assistant after the operator has typed its id, and continues after an interruption', async () => {
    const { site_id, org_id } = await operator.action();
    operator.terminal = true;
    operator.answer = 'y';
    const erase = () => operator.run('assistant', 'delete', site_id);
    expect(await erase()).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
    expect(operator.questions).toEqual([
      `Erase the assistant Shop (${site_id}) and all data of its visitors? Type ${site_id} to continue: `,
    ]);
    operator.answer = site_id;
    operator.whileWaiting = (pauses) => pauses < 4;
    expect(await erase()).toMatchObject({ code: 1, err: 'Interrupted: run the command again to continue\n' });
    expect((await operator.store.findAssistant(site_id))?.enabled).toBe(false);
    operator.whileWaiting = () => true;
    expect(await erase()).toMatchObject({ code: 0, out: expect.stringMatching(/log_records +6\n/) });
    const left = operator.store.items().filter(({ pk }) => !String(pk).startsWith('AUDIT#'));
    expect(left.map(({ pk, sk }) => [pk, sk])).toEqual([[`ORG#${org_id}`, 'ORG']]);
  });
});

describe('action', () => {
  test('creates an Event Action without printing its signing secret, and warns about reserved events', async () => {
    const { site_id } = await operator.assistant();
    const create = ['action', 'create', '--site', site_id, ...EVENT, '--event', 'form.submitted', '--disable'];
    const created = await operator.json<object>(...create);
    const settings = { trigger: 'Event', name: 'Tell', method: 'POST', url: 'https://crm.example/', enabled: false };
    expect(created).toMatchObject({ ...settings, site_id, events: ['message.sent', 'form.submitted'] });
    expect(created).not.toHaveProperty('sealed_signing_secret');
    expect((await operator.run(...create)).err).toContain('Warning: form.submitted is reserved');
    const { action_id } = await operator.json<{ action_id: string }>(...create);
    const update = (...words: string[]) => operator.run('action', 'update', action_id, ...words);
    expect((await update('--event', 'form.submitted')).err).toContain('Warning: form.submitted is reserved');
    expect((await update('--enable')).err).toBe('');
  });

  test('creates a Form Action with its fields in order', async () => {
    const fields = ['--field', 'note:Your note: anything:long-text', '--field', 'age:Age:number:required'];
    const { action_id } = await createAction(...FORM, ...fields);
    expect(await operator.json('action', 'show', action_id)).toMatchObject({
      form_fields: [
        { key: 'mail', label: 'Mail', type: 'Email', required: false },
        { key: 'note', label: 'Your note: anything', type: 'Long text', required: false },
        { key: 'age', label: 'Age', type: 'Number', required: true },
      ],
    });
    expect((await operator.run('action', 'show', action_id)).out).toMatch(/form_fields\.2\.label +Age\n/);
  });

  const PARAMETERS = '{"properties": {"n": {"type": "string"}}, "required": ["n"]}';
  const MORE = ['--feed-back', '--response-map', 'status=$.a.b', '--response-map', 'x=$.c'];

  test.each([PARAMETERS, 'schema.json', '@schema.json', '@-'])('accepts parameters as %s', async (parameters) => {
    operator.files = { 'schema.json': PARAMETERS };
    operator.stdin = PARAMETERS;
    expect(await createAction(...AI, '--parameters', parameters, ...MORE, '--method', 'get')).toMatchObject({
      trigger: 'AI-decided',
      method: 'GET',
      parameters: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
      feed_response_back: true,
      response_field_map: { status: '$.a.b', x: '$.c' },
    });
  });

  test('changes and removes only the settings that the options name', async () => {
    const { action_id } = await createAction(...AI, '--parameters', PARAMETERS, ...MORE);
    const fedBack = { feed_response_back: true, response_field_map: { status: '$.a.b', x: '$.c' } };
    const changed = { name: 'Find', method: 'PUT', enabled: false, ...fedBack };
    expect(await operator.json('action', 'update', action_id, '--disable', '--method', 'put')).toMatchObject(changed);
    const clear = ['--clear-parameters', '--clear-response-map', '--no-feed-back', '--enable'];
    const cleared = await operator.json('action', 'update', action_id, ...clear);
    expect(cleared).toMatchObject({ enabled: true, feed_response_back: false });
    expect(cleared).not.toHaveProperty('parameters');
    expect(cleared).not.toHaveProperty('response_field_map');
  });

  test('asks for confirmation at a terminal before it deletes', async () => {
    const { action_id } = await operator.action();
    operator.terminal = true;
    expect(await operator.run('action', 'delete', action_id)).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
    expect(operator.questions).toEqual([`Delete the Action Tell the CRM (${action_id})? [y/N] `]);
    operator.answer = 'Y';
    expect(await operator.run('action', 'delete', action_id)).toMatchObject({ code: 0 });
    expect((await operator.run('action', 'delete', action_id, '--yes')).code).toBe(3);
  });

  test('lists the Actions of an organization or of an assistant, without a secret', async () => {
    const { action_id, site_id, org_id } = await operator.action();
    const settings = ['--name', 'Other', '--domain', 'b.example', '--rate-limit', '1'];
    const other = await operator.json<{ site_id: string }>('assistant', 'create', '--org', org_id, ...settings);
    await operator.json('action', 'create', '--site', other.site_id, ...FORM);
    expect(await operator.json('action', 'list', '--org', org_id)).toHaveLength(2);
    const listed = await operator.json('action', 'list', '--site', site_id);
    expect(listed).toEqual([expect.objectContaining({ action_id })]);
    const { out } = await operator.run('action', 'list', '--site', site_id);
    expect(JSON.stringify(listed) + out).not.toContain('whsec_');
  });

  test('prints the result of a test, and ends a failed one with its own exit code', async () => {
    const { action_id } = await operator.action();
    const request = {
      method: 'POST' as const,
      url: 'https://crm.example/',
      headers: {},
      body: '{"event":"test.ping"}',
    };
    const at = '2026-03-04T05:06:07.250Z';
    const tested = {
      request,
      at,
      retried: false,
      status: 200,
      latency_ms: 12,
      success: true,
      error: null,
      response_excerpt: 'ok',
    };
    operator.testResult = tested;
    expect(await operator.json('action', 'test', action_id)).toEqual({ action_id, ...tested });
    expect((await operator.run('action', 'test', action_id)).out).toMatch(/status +200\n +latency +12 ms\n/);
    const error = { code: 'timeout' as const, message: 'No answer within 5 seconds' };
    operator.testResult = { ...tested, status: null, latency_ms: 5000, success: false, error, response_excerpt: null };
    const { code, out, err } = await operator.run('action', 'test', action_id, '--json');
    expect([code, JSON.parse(out)]).toEqual([4, expect.objectContaining({ success: false, error })]);
    expect(JSON.parse(err)).toEqual({ error: 'The test request failed: timeout: No answer within 5 seconds' });
  });
});

describe('secrets', () => {
  test.each([
    ['action secret', ({ action_id }: { action_id: string }) => ['action', 'secret', action_id], 'read_secret'],
    [
      'deliveries --json',
      ({ action_id }: { action_id: string }) => ['deliveries', action_id, '--json'],
      'read_deliveries',
    ],
    [
      'usage deliveries --json',
      ({ site_id }: { site_id: string }) => ['deliveries', site_id, '--json'],
      'read_deliveries',
    ],
    ['deliveries without payloads', ({ action_id }: { action_id: string }) => ['deliveries', action_id], undefined],
    ['export', ({ org_id }: { org_id: string }) => ['export', '--org', org_id], 'export_data'],
    ['action show', ({ action_id }: { action_id: string }) => ['action', 'show', action_id], undefined],
  ])('%s leaves a record of who read', async (_, words, operation) => {
    const operator = new FakeOperator();
    const ids = await operator.action();
    await operator.run('action', 'update', ids.action_id, '--name', 'Second version');
    operator.clock.advance(1);
    const at = operator.clock.now().toISOString();
    for (const run of [1, 2]) expect([run, (await operator.run(...words(ids))).code]).toEqual([run, 0]);
    const { records } = await operator.store.auditPage(ids.org_id);
    const readings = records.filter((record) => record.at >= at);
    const { arn } = OPERATOR_AUTHOR;
    // The version of a record names who saved it.
    const expected = { operation, version: 1, by: { sub: 'operator', email: 'operator', arn } };
    expect(readings).toMatchObject(operation === undefined ? [] : [expected, expected]);
  });

  test.each(['action_id', 'site_id'] as const)(
    'the record of who read the deliveries of an %s has its site and its name, and lacks what cannot be read',
    async (kind) => {
      const operator = new FakeOperator();
      const ids = await operator.action();
      const { [kind]: entity_id, org_id, site_id, action_id } = ids;
      const isAction = kind === 'action_id';
      const reading = async () => {
        operator.clock.advance(1);
        expect((await operator.run('deliveries', entity_id, '--json')).code).toBe(0);
        return (await operator.store.auditPage(org_id)).records[0];
      };
      const name = isAction ? 'Tell the CRM' : 'Shop';
      const subject = { operation: 'read_deliveries', org_id, entity_id, version: 1 };
      expect(await reading()).toMatchObject({ ...subject, site_id, name });
      const key = isAction ? KEYS.action(org_id, action_id) : KEYS.assistant(site_id);
      const { Item = {} } = await operator.store.client.get({ TableName: CONFIGURATION, Key: key });
      await operator.store.client.putItem({ TableName: CONFIGURATION, Item: { ...Item, v: 99 } });
      const withoutName = await reading();
      expect(withoutName).toMatchObject({ ...subject, site_id: isAction ? '' : site_id });
      expect(withoutName).not.toHaveProperty('name');
    },
  );

  test('action secret prints only the signing secret, so that it can be piped', async () => {
    const { action_id } = await operator.action();
    const { out, err } = await operator.run('action', 'secret', action_id);
    expect(out).toMatch(/^whsec_[A-Za-z0-9_-]{43}\n$/);
    expect(err).not.toContain('whsec_');
    expect(await operator.json('action', 'secret', action_id)).toEqual({ action_id, signing_secret: out.trim() });
  });

  test('secret generate prints only the server secret, and only once', async () => {
    const { site_id } = await operator.assistant('--mode', 'session-signed');
    const { code, out, err } = await operator.run('secret', 'generate', site_id);
    expect([code, out]).toEqual([0, expect.stringMatching(/^ss_[a-z2-7]{20}_[A-Za-z0-9_-]{43}\n$/)]);
    expect(err).toContain('cannot be shown again');
    const { out: shown } = await operator.run('assistant', 'show', site_id);
    expect(shown).toContain(`server_secret.last_six  ${out.trim().slice(-6)}`);
    const { out: json } = await operator.run('assistant', 'show', site_id, '--json');
    for (const secret of [out.trim(), 'sha256']) expect(shown + json).not.toContain(secret);
    expect((await operator.run('secret', 'generate', site_id)).err).toMatch(/^server_secret: already exists/);
  });

  test('secret generate prepares a live site, whose mode stays; on the free plan it is refused', async () => {
    const { org_id, site_id } = await operator.assistant();
    await operator.json('org', 'update', org_id, '--plan', 'free');
    expect((await operator.run('secret', 'generate', site_id)).err).toContain('Session Signed is a paid feature');
    operator.clock.advance(1);
    await operator.json('org', 'update', org_id, '--plan', 'paid');
    expect((await operator.run('secret', 'generate', site_id)).out).toMatch(/^ss_/);
    expect(await operator.json('assistant', 'show', site_id)).toMatchObject({
      authentication_mode: 'Allowed Websites',
    });
  });

  test('secret regenerate replaces a secret after a confirmation', async () => {
    const { site_id } = await operator.assistant('--mode', 'session-signed');
    operator.terminal = true;
    expect((await operator.run('secret', 'regenerate', site_id)).code).toBe(0);
    expect(operator.questions).toEqual([]);
    expect((await operator.run('secret', 'regenerate', site_id)).err).toBe('Nothing was changed\n');
    const question = /^Replace the secret of site_\w+ that ends in .{6}\? It stops/;
    expect(operator.questions).toEqual([expect.stringMatching(question)]);
    const again = await operator.json('secret', 'regenerate', site_id, '--yes');
    expect(again).toEqual({ site_id, server_secret: expect.stringMatching(/^ss_/) });
  });

  test('secret regenerate replaces no other secret than the one that the question names', async () => {
    const { site_id } = await operator.assistant('--mode', 'session-signed');
    await operator.run('secret', 'generate', site_id);
    operator.terminal = true;
    let newest = '';
    operator.answer = async () => {
      newest = (await operator.run('secret', 'regenerate', site_id, '--yes')).out.trim();
      return 'y';
    };
    expect((await operator.run('secret', 'regenerate', site_id)).code).not.toBe(0);
    expect((await operator.run('assistant', 'show', site_id)).out).toContain(newest.slice(-6));
  });
});

/** What an operator changes, and what the audit trail has of it. Each command runs after those before it. */
const RECORDED: readonly (readonly [string, object | undefined])[] = [
  [
    'org update ORG --plan free',
    { operation: 'update_organization', name: 'Corner Shop', changes: [['plan', 'paid', 'free']] },
  ],
  ['org suspend ORG --yes', { operation: 'update_organization', changes: [['suspended', null, 'true']] }],
  ['org suspend ORG --yes', undefined],
  ['org resume ORG', { operation: 'update_organization', changes: [['suspended', 'true', 'false']] }],
  ['org quota ORG --per-day 9', { operation: 'update_organization', changes: [['daily_outbound_quota', null, '9']] }],
  ['org update ORG --plan paid', { operation: 'update_organization', changes: [['plan', 'free', 'paid']] }],
  [
    'assistant update SITE --rate-limit 7',
    { operation: 'update_assistant', changes: [['hourly_rate_limit', '1000', '7']] },
  ],
  [
    'assistant form-limit SITE --per-hour 5',
    { operation: 'update_assistant', changes: [['form_submissions_per_hour', null, '5']] },
  ],
  [
    `assistant escalation SITE --topic ${TOPIC}`,
    { operation: 'update_assistant', fields: ['escalation_topics'], changes: [] },
  ],
  ['assistant update SITE --mode session-signed', { operation: 'update_assistant', name: 'Shop' }],
  ['secret generate SITE', { operation: 'generate_server_secret', changes: [] }],
  [
    'action update ACTION --url https://b.example/?key=S --disable',
    {
      operation: 'update_action',
      changes: [
        ['enabled', 'true', 'false'],
        ['url', 'https://crm.example/', 'https://b.example/?…'],
      ],
    },
  ],
  ['action delete ACTION --yes', { operation: 'delete_action', name: 'Tell the CRM', fields: [] }],
  [
    'assistant create --org ORG --name Other --domain b.example --rate-limit 1',
    { operation: 'create_assistant', name: 'Other' },
  ],
  ['assistant delete SITE --yes', { operation: 'delete_assistant', name: 'Shop', fields: [] }],
];

test('the audit trail has each change of the operator, with old and new values and without secrets', async () => {
  const { org_id, site_id, action_id } = await operator.action();
  const ids: Readonly<Record<string, string>> = { ORG: org_id, SITE: site_id, ACTION: action_id };
  const trail = async () => (await operator.store.auditPage(org_id)).records;
  expect((await trail()).map(({ operation }) => operation).sort()).toEqual(['create_action', 'create_assistant']);
  for (const [command, record] of RECORDED) {
    const before = await trail();
    operator.clock.advance(1);
    expect(await operator.run(...command.split(' ').map((word) => ids[word] ?? word))).toMatchObject({ code: 0 });
    const [newest, ...earlier] = await trail();
    const changes = newest?.changes?.map(({ field, before, after }) => [field, before, after]);
    if (record === undefined) expect([newest, ...earlier]).toEqual(before);
    else {
      expect([command, { ...newest, changes }]).toMatchObject([command, { by: { email: 'operator' }, ...record }]);
      expect(earlier).toEqual(before);
    }
  }
  const shownTrail = (await trail()).map(({ by: { arn, ...by }, ...record }) => [
    record,
    by,
    arn === OPERATOR_AUTHOR.arn,
  ]);
  expect(JSON.stringify(shownTrail)).not.toMatch(/ss_|key=S|arn:|false\]/);
});

test('each operation of the audit trail is recorded somewhere', () => {
  const sources = globSync('{src/domain,cli}/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join();
  expect(AUDIT_OPERATIONS.filter((operation) => !sources.includes(`'${operation}'`))).toEqual([]);
});
