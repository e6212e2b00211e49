import { EVENT_NAMES } from '../../src/contract/events.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

test("puts an assistant's event on the bus", async () => {
  const { site_id, org_id } = await operator.assistant();
  const words = ['event', 'put', 'message.sent', '--org', org_id, '--site', site_id, '--data', '{"a": 1}'];
  const sent = { event: 'message.sent', org_id, site_id, data: { a: 1 } };
  expect(await operator.json(...words)).toEqual({ id: 'event-1', ...sent, reserved: false, subscribed: [] });
  expect(operator.events).toEqual([sent]);
});

test("puts an organization's event on the bus with data from a file or stdin", async () => {
  const orgId = await operator.organization();
  operator.files = { 'contact.json': '{"email": "a@b.example"}' };
  operator.stdin = '{"from": "stdin"}';
  await operator.json('event', 'put', 'contact.created', '--org', orgId, '--data', '@contact.json');
  await operator.json('event', 'put', 'contact.created', '--org', orgId, '--data', '@-');
  await operator.json('event', 'put', 'contact.created', '--org', orgId);
  expect(operator.events.map((event) => event.data)).toEqual([{ email: 'a@b.example' }, { from: 'stdin' }, {}]);
  expect(operator.events[0]).not.toHaveProperty('site_id');
});

test('says which Actions are subscribed, and warns when none is', async () => {
  const { org_id, action_id } = await operator.action();
  const put = (name: string) => operator.run('event', 'put', name, '--org', org_id);
  expect(await put('conversation.started')).toMatchObject({ out: expect.stringContaining(action_id), err: '' });
  expect((await put('sms.sent')).err).toBe('Warning: no enabled Action is subscribed to sms.sent\n');
  await operator.json('action', 'update', action_id, '--disable');
  expect((await put('conversation.started')).err).toMatch(/^Warning: no enabled Action/);
});

test('warns that a reserved event is never delivered', async () => {
  const orgId = await operator.organization();
  const { code, err } = await operator.run('event', 'put', 'form.submitted', '--org', orgId);
  expect([code, err]).toEqual([0, 'Warning: form.submitted is reserved: it is never delivered\n']);
  expect(await operator.json('event', 'put', 'form.submitted', '--org', orgId)).toMatchObject({ reserved: true });
});

test.each([
  [2, 'event: nope is not in the catalog', ['nope', '--org', 'ORG']],
  [
    2,
    'event: message.recieved is not in the catalog; did you mean message.received?',
    ['message.recieved', '--org', 'ORG'],
  ],
  [2, 'event: form.submit is not in the catalog; did you mean form.submitted?', ['form.submit', '--org', 'ORG']],
  [2, 'event: toString is not in the catalog', ['toString', '--org', 'ORG']],
  [2, 'data: must be JSON, or @file', ['sms.sent', '--org', 'ORG', '--data', 'x']],
  [2, 'data: must be a JSON object', ['sms.sent', '--org', 'ORG', '--data', '[1]']],
  [2, 'data: must be a JSON object', ['sms.sent', '--org', 'ORG', '--data', 'null']],
  [2, 'data: cannot read the file nope', ['sms.sent', '--org', 'ORG', '--data', '@nope']],
  [2, 'data: bad does not contain JSON', ['sms.sent', '--org', 'ORG', '--data', '@bad']],
  [2, 'site_id: OTHER belongs to another organization', ['sms.sent', '--org', 'ORG', '--site', 'OTHER']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', '']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'org x']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'org_ä']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'o'.repeat(129)]],
  [3, 'org_id: no organization org_x', ['sms.sent', '--org', 'org_x']],
  [3, 'site_id: no assistant site_x', ['sms.sent', '--org', 'ORG', '--site', 'site_x']],
])('ends with exit code %i: %s', async (code, message, words) => {
  operator.files = { bad: '{' };
  const orgId = await operator.organization();
  const other = await operator.assistant();
  const filled = (text: string) => text.replace('ORG', orgId).replace('OTHER', other.site_id);
  const ended = await operator.run('event', 'put', ...words.map(filled));
  expect(ended).toEqual({ code, out: '', err: `${filled(message)}\n` });
  expect(operator.events).toEqual([]);
});

test('lists the catalog without a deployment', async () => {
  operator.connectFails = new Error('Not to be connected');
  const events = await operator.json<{ event: string }[]>('event', 'list');
  expect(events.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect((await operator.run('event', 'list')).out.match(/reserved: never delivered/g)).toHaveLength(5);
});
