import type { EventAttempt } from '../../src/domain/operations/event-attempts.ts';
import { attempt, REFUSED } from './attempts.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

/** An attempt that started this many seconds after the first. */
const record = (seconds: number, changes: Partial<EventAttempt> = {}) =>
  attempt({ started_at: new Date(Date.UTC(2026, 2, 4, 5, 6, seconds)).toISOString(), ...changes });

test('prints a table without payloads and responses', async () => {
  operator.records = [
    record(9, {
      ...REFUSED,
      attempt: 2,
      error: { code: 'timeout', message: 'No answer' },
      status: null,
      latency_ms: 5000,
    }),
    record(6, REFUSED),
    record(3, { state: 'started', success: false, status: null, latency_ms: null, sends: 2 }),
    record(0),
  ];
  const { code, out } = await operator.run('deliveries', 'act_x');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    'TIME                      TRIGGER  REF                   EVENT_ID  ATTEMPT  STATUS  MS    OUTCOME',
    '2026-03-04T05:06:09.000Z  event    conversation.started  event-1   2        –       5000  failed: timeout: No answer',
    '2026-03-04T05:06:06.000Z  event    conversation.started  event-1   1        503     34    failed: http_status: HTTP 503',
    '2026-03-04T05:06:03.000Z  event    conversation.started  event-1   1        –       –     not finished, sent 2 times',
    '2026-03-04T05:06:00.000Z  event    conversation.started  event-1   1        200     34    delivered',
    '',
  ]);
});

test('fits its lines into a terminal, with relative times and complete ids', async () => {
  const { clock } = operator;
  const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000).toISOString();
  const reference = '6a7e8f90-1c2d-4e3f-8a9b-0c1d2e3f4a5b';
  const ages = [5, 300, 7200, 40 * 86_400];
  operator.records = ages.map((age) => record(0, { ...REFUSED, reference, started_at: ago(age) }));
  for (const columns of [100, 120]) {
    operator.columns = columns;
    const { out } = await operator.run('deliveries', 'act_x');
    const [heading = '', ...lines] = out.trimEnd().split('\n');
    expect(Math.max(...[heading, ...lines].map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.map((line) => line.split('  ')[0])).toEqual(['5s ago', '5m ago', '2h ago', '40d ago']);
    for (const line of lines) expect(line).toContain(reference);
  }
  operator.columns = 300;
  expect((await operator.run('deliveries', 'act_x')).out).toContain('failed: http_status: HTTP 503\n');
  operator.columns = 20;
  expect((await operator.run('deliveries', 'act_x')).out).toContain(reference);
});

test('says that more attempts exist than it shows', async () => {
  operator.records = [record(9), record(6), record(3, REFUSED)];
  const note = 'More exist; use --limit to show more\n';
  expect((await operator.run('deliveries', 'act_x', '--limit', '2')).err).toBe(note);
  expect((await operator.run('deliveries', 'act_x', '--limit', '3')).err).toBe('');
  expect((await operator.run('deliveries', 'act_x', '--limit', '2', '--outcome', 'delivered')).err).toBe('');
});

test('prints the complete records as JSON, the newest first, up to --limit', async () => {
  operator.records = [record(9), record(6), record(3)];
  expect(await operator.json('deliveries', 'act_x', '--limit', '2')).toEqual([record(9), record(6)]);
  operator.records = Array.from({ length: 30 }, (_, i) => record(30 - i));
  expect(await operator.json('deliveries', 'act_x')).toHaveLength(20);
});

test('sorts by the start of the attempt, whatever the age of its event', async () => {
  // The log is sorted by the event's time. The replay of the older event started after all other attempts.
  const replayed = record(50, { replay: 'a1b2', reference: 'event-old', event_time: '2026-03-04T05:00:00Z' });
  operator.records = [record(9, { attempt: 2 }), record(20), replayed, record(1, { reference: 'event-old' })];
  expect(await operator.json('deliveries', 'act_x', '--limit', '1')).toEqual([replayed]);
  const all = await operator.json<EventAttempt[]>('deliveries', 'act_x');
  expect(all.map(({ started_at }) => new Date(started_at).getUTCSeconds())).toEqual([50, 20, 9, 1]);
});

test('reads no more records than --look-back, and reports it', async () => {
  operator.records = Array.from({ length: 600 }, (_, i) => record(600 - i, { event_time: `t${600 - i}` }));
  operator.records.push(record(9999, { replay: 'late' }));
  expect(await operator.json('deliveries', 'act_x', '--limit', '1')).toEqual([record(600, { event_time: 't600' })]);
  const far = await operator.json('deliveries', 'act_x', '--limit', '1', '--look-back', '601');
  expect(far).toEqual([record(9999, { replay: 'late' })]);
  const none = await operator.run('deliveries', 'act_x', '--outcome', 'failed');
  expect([none.out, none.err]).toEqual([
    'No such deliveries\n',
    'Searched the newest 500 records; use --look-back to search more\n',
  ]);
  expect(await operator.json('deliveries', 'act_x', '--limit', '601')).toHaveLength(601);
});

test.each([
  [['--outcome', 'failed'], [6]],
  [
    ['--outcome', 'delivered'],
    [9, 0],
  ],
  [['--outcome', 'unfinished'], [3]],
  [['--event', 'sms.sent'], [9]],
  [
    ['--since', '2026-03-04T05:06:03Z'],
    [9, 6, 3],
  ],
  [['--since', '2026-03-04T06:06:03+01:00', '--until', '2026-03-04T05:06:06Z'], [3]],
  [
    ['--since', '1h'],
    [9, 6, 3, 0],
  ],
  [
    ['--since', '10s'],
    [9, 6],
  ],
  [['--outcome', 'failed', '--limit', '1'], [6]],
])('%j prints the attempts of the seconds %j, also with --follow', async (words, seconds) => {
  operator.clock.advance(Date.UTC(2026, 2, 4, 5, 6, 15) - operator.clock.now().getTime());
  operator.records = [
    record(9, { trigger_ref: 'sms.sent' }),
    record(6, REFUSED),
    record(3, { state: 'started', success: false, status: null }),
    record(0),
  ];
  const shown = await operator.json<EventAttempt[]>('deliveries', 'act_x', ...words);
  expect(shown.map(({ started_at }) => new Date(started_at).getUTCSeconds())).toEqual(seconds);
  const { out } = await operator.run('deliveries', 'act_x', '--follow', ...words, '--json');
  const followed = out.split('\n').filter((line) => line !== '');
  expect(followed.map((line) => new Date(JSON.parse(line).started_at).getUTCSeconds())).toEqual(
    seconds.filter((second) => second !== 3).toReversed(),
  );
});

test.each([
  ['--outcome', 'late'],
  ['--event', 'no.such'],
  ['--since', 'yesterday'],
  ['--since', '2026-03-04T05:06:03'],
  ['--since', '2026-03-04 05:06'],
  ['--until', '2026-13-04'],
  ['--look-back', '0'],
])('refuses %s %s', async (...words) => {
  expect((await operator.run('deliveries', 'act_x', ...words)).code).toBe(2);
});

test.each(['0', '-1', 'all'])('refuses a limit of %s', async (limit) => {
  expect((await operator.run('deliveries', 'act_x', '--limit', limit)).code).toBe(2);
});

test('an empty log of an existing Action is not an error', async () => {
  const { action_id, site_id } = await operator.action();
  expect(await operator.run('deliveries', action_id)).toMatchObject({ code: 0, out: 'No deliveries yet\n' });
  expect(await operator.json('deliveries', action_id)).toEqual([]);
  expect(await operator.run('deliveries', 'act_x')).toMatchObject({ code: 3, err: 'action_id: no Action act_x\n' });
  expect(await operator.json('deliveries', site_id)).toEqual([]);
  expect((await operator.run('deliveries', 'site_x')).code).toBe(3);
  expect(operator.logsRead.at(-1)).toBe('usage_site_x');
});

test('--follow prints the existing attempts, the oldest first, then each attempt once when it ends', async () => {
  const begun = record(5, { attempt: 2, state: 'started', success: false, status: null });
  operator.records = [record(4), record(3, REFUSED), record(0)];
  operator.whileWaiting = (pauses) => {
    if (pauses === 1) operator.records = [record(7), record(4), begun, record(3, REFUSED), record(0)];
    if (pauses === 2)
      operator.records = [record(7), record(4), record(5, { attempt: 2 }), record(3, REFUSED), record(0)];
    return pauses <= 3;
  };
  const { code, out } = await operator.run('deliveries', 'act_x', '--follow', '--limit', '2', '--json');
  expect(code).toBe(0);
  const seconds = out
    .trim()
    .split('\n')
    .map((line) => new Date(JSON.parse(line).started_at).getUTCSeconds());
  expect(seconds).toEqual([3, 4, 7, 5]);
  const text = await operator.run('deliveries', 'act_x', '--follow', '--limit', '1');
  expect(text.out).toMatch(
    /^2026-03-04T05:06:07.000Z {2}event +conversation.started +event-1 +1 +200 +34 +delivered\n/,
  );
});
