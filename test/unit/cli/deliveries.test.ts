import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import { attempt, FakeOperator, REFUSED } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

/** An attempt that started this many seconds after the first. */
const record = (seconds: number, changes: Partial<DeliveryRecord> = {}) =>
  attempt({ started_at: new Date(Date.UTC(2026, 2, 4, 5, 6, seconds)).toISOString(), ...changes });
const secondOf = ({ started_at }: DeliveryRecord) => new Date(started_at).getUTCSeconds();
const UNFINISHED = { state: 'started', success: false, status: null } as const;
const list = (...words: string[]) => operator.run('deliveries', 'act_x', ...words);
const listed = (...words: string[]) => operator.json<DeliveryRecord[]>('deliveries', 'act_x', ...words);
const followed = async (...words: string[]) =>
  (await list('--follow', ...words, '--json')).out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => secondOf(JSON.parse(line)));

test('prints a table without payloads and responses', async () => {
  const timeout = { code: 'timeout', message: 'No answer' } as const;
  operator.records = [
    record(9, { ...REFUSED, attempt: 2, error: timeout, status: null, latency_ms: 5000 }),
    record(6, REFUSED),
    record(3, { ...UNFINISHED, latency_ms: null, sends: 2 }),
    record(0),
  ];
  expect((await list()).out.split('\n')).toEqual([
    'TIME                      TRIGGER  REF                   ATTEMPT  STATUS  MS    EVENT_ID  OUTCOME',
    '2026-03-04T05:06:09.000Z  event    conversation.started  2        –       5000  event-1   failed: timeout: No answer',
    '2026-03-04T05:06:06.000Z  event    conversation.started  1        503     34    event-1   failed: http_status: HTTP 503',
    '2026-03-04T05:06:03.000Z  event    conversation.started  1        –       –     event-1   not finished, sent 2 times',
    '2026-03-04T05:06:00.000Z  event    conversation.started  1        200     34    event-1   delivered',
    '',
  ]);
});

test('shows everything in a terminal of 80 columns, on two lines for each attempt', async () => {
  const reference = '6a7e8f90-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
  operator.records = [record(3, { ...REFUSED, reference }), record(0, { reference })];
  operator.columns = 80;
  expect((await list()).out.split('\n')).toEqual([
    'TIME                      TRIGGER  REF                   ATTEMPT  STATUS  MS',
    '  EVENT_ID                              OUTCOME',
    '2026-03-04T05:06:03.000Z  event    conversation.started  1        503     34',
    `  ${reference}  failed: http_status: HTTP 503`,
    '2026-03-04T05:06:00.000Z  event    conversation.started  1        200     34',
    `  ${reference}  delivered`,
    '',
  ]);
});

test.each([0, 1, 20, 40, 60, 79, 100, 120, 132, 200])(
  'cuts no time, id or outcome in a terminal of %p columns',
  async (columns) => {
    const reference = '6a7e8f90-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
    operator.records = [record(0, { ...REFUSED, reference })];
    operator.columns = columns;
    const { out } = await list();
    for (const text of ['2026-03-04T05:06:00.000Z', 'conversation.started', reference, 'failed: http_status: HTTP 503'])
      expect(out).toContain(text);
    const longest = Math.max(...out.split('\n').map((line) => line.length));
    if (columns > reference.length + 2) expect(longest).toBeLessThanOrEqual(columns);
  },
);

test('colours outcomes and headings alone, where the terminal has colours', async () => {
  operator.records = [record(6, REFUSED), record(0)];
  operator.colour = true;
  const { out } = await list();
  expect(out).toContain('\u001b[1mTIME\u001b[22m');
  expect(out).toContain('\u001b[31mfailed: http_status: HTTP 503\u001b[39m');
  expect(out).toContain('\u001b[32mdelivered\u001b[39m');
});

test('lists what can be read, and then names what cannot; so does a refusal, whose cause that may be', async () => {
  const cause = new Error('Table log holds an item that cannot be read, ACTION#act_x#0 / a#b#1: sends');
  operator.unreadableRecords = [{ cause }];
  operator.records = [record(0)];
  expect(await list()).toEqual({
    code: 1,
    out: expect.stringContaining('delivered'),
    err: expect.stringContaining(cause.message),
  });
  expect((await operator.run('deliveries', 'act_x', 'event-2')).err).toContain(cause.message);
});

test('prints complete records as JSON up to --limit, and says that more exist', async () => {
  operator.records = [record(9), record(6), record(3, REFUSED)];
  expect(await listed('--limit', '2')).toEqual(operator.records.slice(0, 2));
  expect((await list('--limit', '2')).err).toBe('More exist; use --limit to show more\n');
  expect((await list('--limit', '2', '--outcome', 'delivered')).err).toBe('');
  operator.records = Array.from({ length: 30 }, (_, i) => record(30 - i));
  expect(await listed()).toHaveLength(20);
});

test('sorts the newest records by the start of the attempt, whatever the age of its event', async () => {
  // The log is sorted by the event's time. The replay of the older event started after all other attempts.
  const replayed = record(50, { replay: 'a1b2', event_time: '2026-03-04T05:00:00Z' });
  operator.records = [record(9), record(20), replayed, record(1)];
  expect((await listed()).map(secondOf)).toEqual([50, 20, 9, 1]);
  operator.records = [...Array.from({ length: 500 }, (_, i) => record(600 - i)), record(9999)];
  expect(await listed('--limit', '1')).toEqual([record(600)]);
  const late = record(9999).started_at;
  operator.clock.advance(10_000_000);
  expect((await listed('--since', late)).map(({ started_at }) => started_at)).toEqual([late]);
  operator.records = Array.from({ length: 2500 }, (_, i) => record((i * 7) % 2500));
  expect((await listed('--since', '2026-03-04', '--limit', '3')).map(({ started_at }) => started_at)).toEqual(
    [2499, 2498, 2497].map((seconds) => record(seconds).started_at),
  );
  for (const total of [499, 500, 501, 1000, 1001]) {
    operator.records = Array.from({ length: total }, (_, i) => record(total - i));
    for (const since of [[], ['--since', '2026-03-04']]) {
      const { err } = await list(...since, '--limit', '500');
      expect([total, err]).toEqual([total, total > 500 ? 'More exist; use --limit to show more\n' : '']);
    }
  }
  operator.records = Array.from({ length: 501 }, (_, i) => record(600 - i));
  expect((await list('--outcome', 'failed', '--limit', '502')).err).toBe('');
  const none = { out: 'No such deliveries\n', err: 'Searched the newest 500 records\n' };
  expect(await list('--outcome', 'failed')).toMatchObject(none);
});

test.each([
  ['--outcome failed', [6]],
  ['--outcome unfinished', [3]],
  ['--outcome delivered --limit 1', [9]],
  ['--since 2026-03-04T06:06:03+01:00', [9, 6, 3]],
  ['--since 10s', [9, 6]],
])('%s prints the attempts of the seconds %j, also with --follow', async (words, seconds) => {
  operator.clock.advance(Date.UTC(2026, 2, 4, 5, 6, 15) - operator.clock.now().getTime());
  operator.records = [record(9), record(6, REFUSED), record(3, UNFINISHED), record(0)];
  expect((await listed(...words.split(' '))).map(secondOf)).toEqual(seconds);
  expect(await followed(...words.split(' '))).toEqual(seconds.filter((second) => second !== 3).toReversed());
});

test.each([
  ['--outcome', 'late'],
  ['--since', 'yesterday'],
  ['--since', '2026-03-04T05:06:03'],
  ['--since', '2026-13-04'],
  ['--since', '2026-02-30'],
  ['--since', '2026-02-30T05:06:00Z'],
  ['--since', '2026-03-04T25:00:00Z'],
  ['--limit', '0'],
  ['--attempt', 'all'],
  ['--since', '-1h'],
  ['--since', '2026'],
  ['--since', '2026-03-04 05:06'],
])('refuses %s %s', async (...words) => {
  expect((await list(...words)).code).toBe(2);
});

test.each([
  [['deliveries', 'act_x', '--since']],
  [['event', 'replay-failed', 'act_x', '--since']],
  [['export', '--org', 'org_x', '--since']],
  [['logs', 'api', '--since']],
])('%j refuses a time that is still to come', async (words) => {
  const refused = { code: 2, out: '', err: '--since: must not be in the future\n' };
  expect(await operator.run(...words, '2026-03-05')).toEqual(refused);
  expect((await operator.run(...words, '2026-03-04')).err).not.toBe(refused.err);
});

test('names every form of a time to an operator who wrote another one', async () => {
  for (const wrong of ['nonsense', '1w', '2026-13-04', '05:06'])
    expect((await list('--since', wrong)).err).toContain('30m, 1h or 2d ago, 2026-03-04 or 2026-03-04T05:06:00Z');
});

test('an empty log of an existing Action or assistant is not an error', async () => {
  const { action_id, site_id } = await operator.action();
  expect(await operator.run('deliveries', action_id)).toMatchObject({ code: 0, out: 'No deliveries yet\n' });
  expect(await list()).toMatchObject({ code: 3, err: 'action_id: no Action act_x\n' });
  expect(await operator.json('deliveries', site_id)).toEqual([]);
  expect((await operator.run('deliveries', 'site_x')).code).toBe(3);
  expect(operator.logsRead.at(-1)).toBe('usage_site_x');
});

test.each([[[]], [['--json']], [['event-1']]])('an organization with %j has no deliveries to read', async (words) => {
  const orgId = await operator.organization();
  const before = await operator.store.auditPage(orgId);
  expect(await operator.run('deliveries', orgId, ...words)).toMatchObject({ code: 3, out: '' });
  expect(await operator.store.auditPage(orgId)).toEqual(before);
});

test('--follow prints the existing attempts, the oldest first, then each attempt once when it ends', async () => {
  const old = [record(4), record(3, REFUSED), record(0)];
  operator.records = old;
  operator.whileWaiting = (pauses) => {
    if (pauses === 1) operator.records = [record(7), record(5, { attempt: 2, ...UNFINISHED }), ...old];
    if (pauses === 2) operator.records = [record(7), record(5, { attempt: 2 }), ...old];
    return pauses <= 3;
  };
  expect(await followed('--limit', '2')).toEqual([3, 4, 7, 5]);
  operator.records = old;
  expect(await followed('--since', '2026-03-04', '--limit', '1')).toEqual([4, 7, 5]);
  const line = /^2026-03-04T05:06:07.000Z {2}event +conversation.started +1 +200 +34 +event-1 +delivered\n/;
  expect((await list('--follow', '--limit', '1')).out).toMatch(line);
});

test.each([
  ['--attempt: needs an event id', '--attempt', '2'],
  ['--at: needs an event id', '--outcome', 'failed', '--at', '2026-03-04'],
  ['--outcome: takes no event id', 'event-1', '--outcome', 'failed'],
  ['--since: takes no event id', 'event-1', '--attempt', '1', '--since', '1h'],
  ['--limit: takes no event id', 'event-1', '--limit', '20'],
  ['--follow: takes no event id', 'event-1', '--follow'],
])('refuses an option of the other use: %s', async (problem, ...words) => {
  operator.records = [record(0)];
  operator.attempts = operator.records;
  expect(await list(...words)).toEqual({ code: 2, out: '', err: expect.stringContaining(problem) });
});

test('one attempt is printed completely, with the meaning of its failure', async () => {
  const payload = '{"id":"event-1","data":{"text":"a\\u001b[31m"}}';
  const first = attempt({ ...REFUSED, payload, response_excerpt: 'try\nlater\u001b[2J' });
  const error = { code: 'dns_failure', message: 'crm.example was not found' } as const;
  const later = attempt({ ...REFUSED, attempt: 2, started_at: '2026-03-04T05:06:09.250Z', status: null, error });
  operator.attempts = [first, later];
  const { out } = await list('event-1', '--attempt', '1');
  expect(out).toMatch(/^Attempt, of 2 in the log\n {2}outcome +failed: http_status: HTTP 503\n/);
  expect(out).toMatch(/meaning +The endpoint responded with an error status/);
  expect(out).toMatch(/reference +event-1\n/);
  expect(out).toContain('\nPayload\n  {\n    "id": "event-1",\n');
  expect(out).toContain('\nResponse (at most 2000 characters)\n  try\n  later\\u001b[2J\n');
  expect(out).not.toContain('\u001b');
  // Without --attempt it is the latest.
  expect((await list('event-1')).out).toMatch(/meaning +The DNS lookup of the host name failed/);
  expect(await listed('event-1')).toEqual(later);
  expect((await list('event-1', '--attempt', '3')).err).toContain('no attempt 3 of');
  const unknown = 'event_id: the log of act_x has no attempt of event-2\n';
  expect(await list('event-2')).toMatchObject({ code: 3, err: unknown });
  operator.attempts = [attempt({ action_id: 'usage_site_x', trigger: 'usage', reference: 'n-1' })];
  expect(await operator.json('deliveries', 'site_x', 'n-1')).toEqual(operator.attempts[0]);
});
