import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

const URL = ['--url', 'https://crm.example/'];
const EVENT = ['--trigger', 'Event', '--name', 'Tell', ...URL, '--event', 'message.sent'];
const FORM = ['--trigger', 'Form', '--name', 'Contact', ...URL, '--field', 'mail:Mail:Email'];
const AI = ['--trigger', 'AI-decided', '--name', 'Find', ...URL, '--description', 'Finds an order'];

const create = async (...words: readonly string[]) => {
  const { site_id } = await operator.assistant();
  return operator.json<{ action_id: string }>('action', 'create', '--site', site_id, ...words);
};

test('creates an Event Action, and does not print its signing secret', async () => {
  expect(await create(...EVENT, '--event', 'sms.sent')).toEqual({
    action_id: expect.stringMatching(/^act_/),
    org_id: expect.stringMatching(/^org_/),
    site_id: expect.stringMatching(/^site_/),
    slug: 'tell',
    trigger: 'Event',
    name: 'Tell',
    method: 'POST',
    url: 'https://crm.example/',
    enabled: true,
    events: ['message.sent', 'sms.sent'],
    created_at: '2026-03-04T05:06:07.250Z',
    updated_at: '2026-03-04T05:06:07.250Z',
    version: 1,
  });
});

test('creates a Form Action with its fields in order', async () => {
  const fields = ['--field', 'note:Your note: anything:long-text', '--field', 'age:Age:number:required'];
  const { action_id } = await create(...FORM, ...fields);
  expect(await operator.json('action', 'show', action_id)).toMatchObject({
    form_fields: [
      { key: 'mail', label: 'Mail', type: 'Email', required: false },
      { key: 'note', label: 'Your note: anything', type: 'Long text', required: false },
      { key: 'age', label: 'Age', type: 'Number', required: true },
    ],
  });
  expect((await operator.run('action', 'show', action_id)).out).toMatch(/form_fields\.2\.label +Age\n/);
});

test.each([
  ['as text', '{"properties": {"n": {"type": "string"}}, "required": ["n"]}'],
  ['as a file', 'schema.json'],
  ['as @file', '@schema.json'],
  ['on stdin', '@-'],
])('accepts the parameters of an AI-decided Action %s', async (_, parameters) => {
  const schema = '{"properties": {"n": {"type": "string"}}, "required": ["n"]}';
  operator.files = { 'schema.json': schema };
  operator.stdin = schema;
  const more = ['--parameters', parameters, '--feed-back', '--response-map', 'status=$.a.b', '--response-map', 'x=$.c'];
  expect(await create(...AI, ...more, '--method', 'get')).toMatchObject({
    trigger: 'AI-decided',
    method: 'GET',
    parameters: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
    feed_response_back: true,
    response_field_map: { status: '$.a.b', x: '$.c' },
  });
});

test.each([
  ['no event', EVENT.slice(0, 6), 'events: at least one event is required'],
  ['an unknown trigger', ['--trigger', 'Cron', ...EVENT.slice(2)], 'trigger: '],
  ['an unknown field type', [...FORM, '--field', 'a:A:Date'], 'form_fields.1.type: '],
  ['half a field', [...FORM, '--field', 'a:A'], 'form_fields.1: must be key:Label:Type'],
  ['parameters that are not JSON', [...AI, '--parameters', '{'], 'parameters: must be JSON'],
  ['a missing file of parameters', [...AI, '--parameters', 'nope.json'], 'parameters: cannot read the file nope.json'],
  ['half a mapping', [...AI, '--response-map', 'a'], 'response_field_map: must be name=$.path'],
])('refuses %s and names the field', async (_, words, message) => {
  const { site_id } = await operator.assistant();
  const { code, out, err } = await operator.run('action', 'create', '--site', site_id, ...words);
  expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  expect(operator.store.actions.size).toBe(0);
});

test('warns about events that are never delivered', async () => {
  const { site_id } = await operator.assistant();
  const words = ['action', 'create', '--site', site_id, ...EVENT, '--event', 'form.submitted'];
  expect(await operator.run(...words)).toMatchObject({ code: 0, err: expect.stringContaining('is reserved') });
});

test('changes and removes only the settings that the options name', async () => {
  const more = ['--parameters', '{"properties":{"n":{"type":"string"}}}', '--feed-back', '--response-map', 'a=$.b'];
  const { action_id } = await create(...AI, ...more);
  expect(await operator.json('action', 'update', action_id, '--disable', '--method', 'put')).toMatchObject({
    name: 'Find',
    method: 'PUT',
    enabled: false,
    feed_response_back: true,
    response_field_map: { a: '$.b' },
    version: 2,
  });
  const cleared = ['--clear-parameters', '--clear-response-map', '--no-feed-back', '--enable'];
  const changed = await operator.json('action', 'update', action_id, ...cleared);
  expect(changed).toMatchObject({ enabled: true, feed_response_back: false, version: 3 });
  expect(changed).not.toHaveProperty('parameters');
  expect(changed).not.toHaveProperty('response_field_map');
  expect((await operator.run('action', 'update', action_id)).code).toBe(2);
});

test('asks for confirmation at a terminal before it deletes', async () => {
  const { action_id } = await operator.action();
  operator.terminal = true;
  expect(await operator.run('action', 'delete', action_id)).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
  expect(operator.questions).toEqual([`Delete the Action Tell the CRM (${action_id})? [y/N] `]);
  operator.answer = 'Y';
  expect(await operator.run('action', 'delete', action_id)).toMatchObject({ code: 0 });
  expect(operator.store.actions.size).toBe(0);
  expect((await operator.run('action', 'delete', action_id, '--yes')).code).toBe(3);
});

test('lists the Actions of an organization or of an assistant', async () => {
  const { action_id, site_id, org_id } = await operator.action();
  const settings = ['--name', 'Other', '--domain', 'b.example', '--rate-limit', '1'];
  const other = await operator.json<{ site_id: string }>('assistant', 'create', '--org', org_id, ...settings);
  await operator.json('action', 'create', '--site', other.site_id, ...FORM);
  expect(await operator.json('action', 'list', '--org', org_id)).toHaveLength(2);
  const listed = await operator.json('action', 'list', '--site', site_id);
  expect(listed).toEqual([expect.objectContaining({ action_id })]);
  const { out } = await operator.run('action', 'list', '--site', site_id);
  expect(JSON.stringify(listed) + out).not.toContain('whsec_');
  for (const words of [[], ['--org', org_id, '--site', site_id]]) {
    expect((await operator.run('action', 'list', ...words)).code).toBe(2);
  }
});

test('prints only the signing secret, so that it can be piped', async () => {
  const { action_id } = await operator.action();
  const { out, err } = await operator.run('action', 'secret', action_id);
  expect(out).toMatch(/^whsec_[A-Za-z0-9_-]{43}\n$/);
  expect(err).not.toContain('whsec_');
  expect(await operator.json('action', 'secret', action_id)).toEqual({ action_id, signing_secret: out.trim() });
});

test('prints the result of a test, and ends a failed one with its own exit code', async () => {
  const { action_id } = await operator.action();
  const request = { method: 'POST' as const, url: 'https://crm.example/', headers: {}, body: '{"event":"test.ping"}' };
  const tested = { request, status: 200, latency_ms: 12, success: true, error: null, response_excerpt: 'ok' };
  operator.testResult = tested;
  expect(await operator.json('action', 'test', action_id)).toEqual({ action_id, ...tested });
  expect((await operator.run('action', 'test', action_id)).out).toMatch(/status +200\n +latency +12 ms\n/);
  const error = { code: 'timeout' as const, message: 'No answer within 5 seconds' };
  operator.testResult = { ...tested, status: null, latency_ms: 5000, success: false, error, response_excerpt: null };
  const { code, out, err } = await operator.run('action', 'test', action_id, '--json');
  expect([code, JSON.parse(out)]).toEqual([4, expect.objectContaining({ success: false, error })]);
  expect(JSON.parse(err)).toEqual({ error: 'The test request failed: timeout: No answer within 5 seconds' });
});
