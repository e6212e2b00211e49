import { attempt, REFUSED } from './attempts.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

const first = attempt({
  ...REFUSED,
  payload: '{"id":"event-1","data":{"text":"a\\u001b[31m"}}',
  response_excerpt: 'try\nlater\u001b[2J',
});
const later = attempt({
  ...REFUSED,
  attempt: 2,
  started_at: '2026-03-04T05:06:09.250Z',
  status: null,
  response_excerpt: null,
  error: { code: 'dns_failure', message: 'crm.example was not found' },
});

test('prints a complete attempt and the meaning of its failure', async () => {
  operator.attempts = [first, later];
  const { code, out } = await operator.run('delivery', 'show', 'act_x', 'event-1', '--attempt', '1');
  expect(code).toBe(0);
  expect(out).toMatch(/event_id +event-1\n/);
  expect(out).toMatch(/attempt +1, of 2 in the log\n/);
  expect(out).toMatch(/outcome +failed: http_status: HTTP 503\n/);
  expect(out).toMatch(/meaning +The endpoint responded with an error status/);
  expect(out).toContain('\nPayload\n  {\n    "id": "event-1",\n');
  expect(out).toContain('\nResponse (at most 2000 characters)\n  try\n  later\\u001b[2J\n');
  expect(out).not.toContain('\u001b');
});

test('prints the latest attempt, and the record as JSON', async () => {
  operator.attempts = [first, later];
  expect((await operator.run('delivery', 'show', 'act_x', 'event-1')).out).toMatch(
    /meaning +The DNS lookup of the host name failed/,
  );
  expect(await operator.json('delivery', 'show', 'act_x', 'event-1')).toEqual(later);
});

test('prints an attempt of a usage webhook of an assistant', async () => {
  operator.attempts = [attempt({ action_id: 'usage_site_x', trigger: 'usage', reference: 'n-1', error: null })];
  expect((await operator.run('delivery', 'show', 'site_x', 'n-1')).out).toMatch(/nonce +n-1/);
});

test('reports an attempt that the log does not have, and the time that was searched', async () => {
  expect(await operator.run('delivery', 'show', 'act_x', 'event-1')).toMatchObject({
    code: 3,
    err: 'event_id: the log of act_x has no attempt of event-1 in the last 24 hours\n',
  });
  operator.attempts = [first];
  expect(await operator.run('delivery', 'show', 'act_x', 'event-1', '--attempt', '3')).toMatchObject({
    code: 3,
    err: expect.stringContaining('no attempt 3 of event-1'),
  });
  expect((await operator.run('delivery', 'show', 'act_x', 'event-1', '--attempt', '0')).code).toBe(2);
});
