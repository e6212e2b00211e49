import { personSearch } from '../../cli/operations/person.ts';
import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';

const record = (payload: string | null, response_excerpt: string | null = null): DeliveryRecord => ({
  action_id: 'act_1',
  reference: 'reference',
  trigger: 'event',
  trigger_ref: 'message.sent',
  attempt: 1,
  replay: null,
  started_at: '2026-03-04T05:06:07Z',
  event_time: '2026-03-04T05:06:07Z',
  state: 'succeeded',
  payload,
  payload_cut: false,
  status: 200,
  response_excerpt,
  latency_ms: 1,
  success: true,
  error: null,
  sends: 1,
});

const place = (id: string, payload: unknown) => personSearch([id])(record(JSON.stringify(payload)));

test.each([
  ['u-1', { data: { user: { id: 'u-1' } } }, 'data.user.id'],
  ['u-1', { data: [{ 'u-1': true }] }, 'data[].u-1'],
  ['42', { data: { user: 42 } }, 'data.user'],
  ['u-1', { data: { user: 'u-10', text: 'u-1 says hello', 'xu-1': 1 } }, undefined],
  ['U-1', { user: 'u-1' }, undefined],
  ['4', { user: 42, list: [4.5, '42'] }, undefined],
  ['true', { consent: true, none: null }, undefined],
  ['constructor', { user: 'u-1' }, undefined],
  ['Zoë "Z" \\ 李', { name: 'Zoë "Z" \\ 李' }, 'name'],
])('finds the id %j in %j at %s', (id, payload, expected) => {
  expect(place(id, payload)).toBe(expected);
});

test('finds ids in fields that JavaScript treats specially, in large numbers, and at any depth', () => {
  expect(personSearch(['u-1'])(record('{"__proto__":{"id":"u-1"}}'))).toBe('__proto__.id');
  const large = personSearch(['12345678901234567890']);
  expect(large(record('{"user":12345678901234567890}'))).toBe('user');
  expect(large(record('{"user":12345678901234567891}'))).toBeUndefined();
  const deep = 100_000;
  expect(personSearch(['u-1'])(record(`${'['.repeat(deep)}"u-1"${']'.repeat(deep)}`))).toBe('[]'.repeat(deep));
});

test('finds an id in text that is not JSON only where it stands alone', () => {
  const inResponse = (text: string) =>
    personSearch(['u-1', 'ada@example.com', 'a"b'])(record(null, text)) !== undefined;
  for (const text of [
    'created u-1.',
    'u-1',
    'id=u-1&x',
    '{"id":"u-1","cut',
    'to <ada@example.com>',
    '{"n":"a\\"b","cut',
  ]) {
    expect([text, inResponse(text)]).toEqual([text, true]);
  }
  for (const text of ['u-10', 'xu-1', 'u-1-2', 'u-1.5', 'ada@example.com.au', 'lada@example.com', '李u-1', '']) {
    expect([text, inResponse(text)]).toEqual([text, false]);
  }
});

test('finds ids in the reference and in what the trigger refers to', () => {
  expect(personSearch(['reference'])(record(null))).toBe('reference');
  expect(personSearch(['message.sent'])(record('not JSON'))).toBe('trigger_ref');
  expect(personSearch(['u-1'])(record(null, '{"a":{"b":"u-1"}}'))).toBe('response.a.b');
  expect(personSearch(['u-1'])(record('"u-1"'))).toBe('payload');
});
