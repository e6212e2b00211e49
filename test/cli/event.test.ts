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
  const put = (...words: string[]) => operator.json('event', 'put', 'contact.created', '--org', orgId, ...words);
  await put('--data', '@contact.json');
  await put('--data', '@-');
  await put();
  expect(operator.events.map((event) => event.data)).toEqual([{ email: 'a@b.example' }, { from: 'stdin' }, {}]);
  expect(operator.events[0]).not.toHaveProperty('site_id');
});

test('says which Actions are subscribed, and warns when none is or when the event is reserved', async () => {
  const { org_id, action_id } = await operator.action();
  const put = (name: string) => operator.run('event', 'put', name, '--org', org_id);
  expect(await put('conversation.started')).toMatchObject({ out: expect.stringContaining(action_id), err: '' });
  expect((await put('sms.sent')).err).toBe('Warning: no enabled Action is subscribed to sms.sent\n');
  expect((await put('form.submitted')).err).toBe('Warning: form.submitted is reserved: it is never delivered\n');
  await operator.json('action', 'update', action_id, '--disable');
  expect((await put('conversation.started')).err).toMatch(/^Warning: no enabled Action/);
});

test.each([
  [2, 'event: nope is not in the catalog', ['nope']],
  [2, 'event: message.recieved is not in the catalog; did you mean message.received?', ['message.recieved']],
  [2, 'event: form.submit is not in the catalog; did you mean form.submitted?', ['form.submit']],
  [2, 'event: toString is not in the catalog', ['toString']],
  [2, 'data: must be JSON, or @file', ['sms.sent', '--data', 'x']],
  [2, 'data: must be a JSON object', ['sms.sent', '--data', '[1]']],
  [2, 'data: must be a JSON object', ['sms.sent', '--data', 'null']],
  [2, 'data: cannot read the file nope', ['sms.sent', '--data', '@nope']],
  [2, 'data: bad does not contain JSON', ['sms.sent', '--data', '@bad']],
  [2, 'site_id: OTHER belongs to another organization', ['sms.sent', '--site', 'OTHER']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', '']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'org x']],
  [2, 'org_id: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'o'.repeat(129)]],
  [3, 'org_id: no organization org_x', ['sms.sent', '--org', 'org_x']],
  [3, 'site_id: no assistant site_x', ['sms.sent', '--site', 'site_x']],
])('ends with exit code %i: %s', async (code, message, words) => {
  operator.files = { bad: '{' };
  const orgId = await operator.organization();
  const other = await operator.assistant();
  const filled = (text: string) => text.replace('OTHER', other.site_id);
  const ended = await operator.run('event', 'put', '--org', orgId, ...words.map(filled));
  expect(ended).toEqual({ code, out: '', err: `${filled(message)}\n` });
  expect(operator.events).toEqual([]);
});

test('lists the catalog without a deployment', async () => {
  operator.connectFails = new Error('Not to be connected');
  const events = await operator.json<{ event: string }[]>('event', 'list');
  expect(events.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect((await operator.run('event', 'list')).out.match(/reserved: never delivered/g)).toHaveLength(5);
});
