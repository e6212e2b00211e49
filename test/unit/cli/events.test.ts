import type { DeliveryRecord } from '../../../src/contract/delivery-record.ts';
import { EVENT_NAMES } from '../../../src/contract/events.ts';
import { attempt, FakeOperator, REFUSED } from './operator.ts';

const ENVELOPE = {
  id: 'event-1',
  event: 'conversation.started',
  timestamp: '2026-03-04T05:06:00Z',
  data: { text: 'of a visitor' },
  site_id: 'site_x',
  org_id: 'org_x',
};

const anAttempt = (action_id: string, changes: Partial<DeliveryRecord> = {}) =>
  attempt({ action_id, event_time: ENVELOPE.timestamp, payload: JSON.stringify(ENVELOPE), ...changes });
const failed = (code: 'timeout' | 'redirect') =>
  ({ ...REFUSED, status: null, error: { code, message: code } }) as const;

let operator: FakeOperator;
let one: Awaited<ReturnType<FakeOperator['action']>>;
beforeEach(async () => {
  operator = new FakeOperator();
  operator.whileWaiting = () => true;
  one = await operator.action();
});

describe('event put', () => {
  const put = (name: string, ...words: string[]) => operator.run('event', 'put', name, '--org', one.org_id, ...words);

  test('says which Actions are subscribed, and warns when none is or when the event is reserved', async () => {
    const sent = { event: 'conversation.started', org_id: one.org_id, site_id: one.site_id, data: { a: 1 } };
    const { out } = await put(sent.event, '--site', one.site_id, '--data', '{"a": 1}', '--json');
    const subscribed = [one.action_id];
    expect(JSON.parse(out)).toEqual({ id: 'event-1', ...sent, is_reserved: false, subscriber_ids: subscribed });
    expect(operator.events).toEqual([sent]);
    expect(await put('conversation.started')).toMatchObject({ out: expect.stringContaining(one.action_id), err: '' });
    expect((await put('sms.sent')).err).toBe('Warning: no enabled Action is subscribed to sms.sent\n');
    expect((await put('form.submitted')).err).toBe('Warning: form.submitted is reserved: it is never delivered\n');
    await operator.json('action', 'update', one.action_id, '--disable');
    expect((await put('conversation.started')).err).toMatch(/^Warning: no enabled Action/);
  });

  test('takes data from a file or stdin', async () => {
    operator.files = { 'contact.json': '\ufeff{"email": "a@b.example"}' };
    operator.stdin = '\ufeff{"from": "stdin"}';
    for (const data of [['--data', '@contact.json'], ['--data', '@-'], []]) await put('contact.created', ...data);
    expect(operator.events.map((event) => event.data)).toEqual([{ email: 'a@b.example' }, { from: 'stdin' }, {}]);
    expect(operator.events[0]?.site_id).toBeUndefined();
  });

  test('takes the largest event that surely fits into the queue behind the bus, and not one byte more', async () => {
    const rest = JSON.stringify({ org_id: one.org_id, data: { pad: '' } }).length;
    for (const [bytes, code] of [
      [1_048_000, 0],
      [1_048_001, 2],
    ] as const) {
      operator.files = { pad: JSON.stringify({ pad: 'x'.repeat(bytes - rest) }) };
      expect((await put('sms.sent', '--data', '@pad')).code).toBe(code);
    }
  });

  test.each([
    [2, 'event: nope is not in the catalog', ['nope']],
    [2, 'event: message.recieved is not in the catalog; did you mean message.received?', ['message.recieved']],
    [2, 'event: toString is not in the catalog', ['toString']],
    [2, '--data: must be JSON, or @file', ['sms.sent', '--data', 'x']],
    [2, '--data: must be a JSON object', ['sms.sent', '--data', 'null']],
    [2, '--data: cannot read the file nope', ['sms.sent', '--data', '@nope']],
    [2, '--data: bad does not contain JSON', ['sms.sent', '--data', '@bad']],
    [2, '--data: stdin does not contain JSON', ['sms.sent', '--data', '@-']],
    [2, '--data: little is not UTF-8', ['sms.sent', '--data', '@little']],
    [2, '--data: big is not UTF-8', ['sms.sent', '--data', '@big']],
    [2, '--data: unmarked is not UTF-8', ['sms.sent', '--data', '@unmarked']],
    [2, '--data: must not be nested in more than 500 levels', ['sms.sent', '--data', '@deep']],
    ...['9223372036854775808', '-9223372036854775809', '10000000000000000000', '9'.repeat(5000)].map(
      (number): [number, string, string[]] => [
        2,
        '--data, a, no. 1: must be an integer of 64 bits, the largest that EventBridge takes; write a larger one as text',
        ['sms.sent', '--data', `{"a":[${number}]}`],
      ],
    ),
    [2, '--data: must have at most 1048000 bytes with org_id and site_id', ['sms.sent', '--data', '@large']],
    [2, '--data: must have at most 1048000 bytes with org_id and site_id', ['sms.sent', '--data', '@wide']],
    [2, '--site: OTHER belongs to another organization', ['sms.sent', '--site', 'OTHER']],
    [2, '--org: must be 1 to 128 printable ASCII characters', ['sms.sent', '--org', 'org x']],
    [3, '--org: no organization org_x', ['sms.sent', '--org', 'org_x']],
    [3, '--site: no assistant site_x', ['sms.sent', '--site', 'site_x']],
  ])('ends with exit code %i: %s', async (code, message, [name = '', ...words]) => {
    const data = (pad: string) => JSON.stringify({ pad });
    operator.files = {
      bad: '{',
      little: Buffer.from('\ufeff{}', 'utf16le').toString(),
      big: Buffer.from('\ufeff{}', 'utf16le').swap16().toString(),
      unmarked: Buffer.from('{}', 'utf16le').toString(),
      deep: '{"a":'.repeat(501) + 1 + '}'.repeat(501),
      large: data('x'.repeat(1_047_990)),
      wide: data('ë'.repeat(524_000)),
    };
    const other = await operator.assistant();
    const filled = (text: string) => text.replace('OTHER', other.site_id);
    expect(await put(name, ...words.map(filled))).toEqual({ code, out: '', err: `${filled(message)}\n` });
    expect(operator.events).toEqual([]);
  });
});

test('event list needs no deployment', async () => {
  operator.connectFails = new Error('Not to be connected');
  const events = await operator.json<{ event: string }[]>('event', 'list');
  expect(events.map(({ event }) => event)).toEqual(EVENT_NAMES);
  expect((await operator.run('event', 'list')).out.match(/reserved: never delivered/g)).toHaveLength(5);
});

describe('event trace', () => {
  const trace = (id: string, ...words: string[]) => operator.run('event', 'trace', id, '--org', one.org_id, ...words);

  test('shows the outcome of the event for each Action', async () => {
    const more = async (name: string, ...words: string[]) => {
      const settings = ['--name', name, '--url', 'https://crm.example/', '--event', 'conversation.started', ...words];
      const create = ['action', 'create', '--site', one.site_id, '--trigger', 'Event', ...settings];
      return (await operator.json<{ action_id: string }>(...create)).action_id;
    };
    const [retried, lost, off] = [await more('Retried'), await more('Given up'), await more('Off', '--disable')];
    const late = await more('Late');
    operator.attempts = [
      anAttempt(one.action_id, { started_at: ENVELOPE.timestamp }),
      anAttempt(retried, failed('timeout')),
      anAttempt(lost, failed('redirect')),
      anAttempt(lost, { replay: '0123456789ab' }),
    ];
    const json = await trace('event-1', '--json');
    const { deliveries, ...event } = JSON.parse(json.out);
    expect(event).toMatchObject({ event_id: 'event-1', event: 'conversation.started', time: ENVELOPE.timestamp });
    const deliveryTo = (id: string) => deliveries.find(({ action_id }: { action_id: string }) => action_id === id);
    expect([one.action_id, retried, lost, off, late].map(deliveryTo)).toMatchObject([
      { outcome: 'delivered', attempts: [{ attempt: 1, status: 200 }] },
      { outcome: 'under_way' },
      { outcome: 'failed', attempts: [{ replay: null }, { replay: '0123456789ab', success: true }] },
      { outcome: 'none', attempts: [] },
      { outcome: 'none', note: 'the Action was created after the event' },
    ]);
    const { out, err } = await trace('event-1');
    expect(err).toBe('conversation.started event-1, of 2026-03-04T05:06:00Z\n');
    expect(out).toMatch(/failed +1 \(replay\)/);
    expect(out + json.out).not.toContain('visitor');
  });

  test('of an event that no log contains says where it searched, and what the Actions are subscribed to', async () => {
    const subscribed = '; the enabled Actions are subscribed to conversation.started\n';
    const missing = (before: string) => `event_id: the logs have no attempt of event-9${before}${subscribed}`;
    expect(await trace('event-9')).toEqual({ code: 3, out: '', err: missing('') });
    const { err } = await trace('event-9', '--at', '2026-01-01T01:00:00+01:00');
    expect(err).toBe(missing(' before 2026-01-01T00:00:01.000Z'));
  });

  test('says why an Action has no attempt by when the event was routed, whatever time its publisher named', async () => {
    const settings = ['--url', 'https://crm.example/', '--event', 'conversation.started'];
    const create = ['action', 'create', '--site', one.site_id, '--trigger', 'Event', '--name', 'Before', ...settings];
    const { action_id } = await operator.json<{ action_id: string }>(...create);
    const started_at = new Date(operator.clock.now().getTime() + 1000).toISOString();
    operator.attempts = [anAttempt(one.action_id, { event_time: '2025-12-01T00:00:00Z', started_at })];
    const { deliveries } = JSON.parse((await trace('event-1', '--json')).out);
    const note = 'the event belongs to another assistant, or it is still in a queue or a dead-letter queue';
    expect(deliveries).toContainEqual(expect.objectContaining({ action_id, note }));
  });
});

test.each([
  ['2026-03-04', 0],
  ['2026-03-04T05:06Z', 0],
  ['2026-03-04T06:06+01:00', 0],
  ['2026-03-04T05:06:30Z', 0],
  ['2026-03-03', 3],
  ['2026-03-04T05:05Z', 3],
  ['2026-03-04T05:06:29Z', 3],
])('an event of 05:06:30 is found --at %s with exit code %i', async (at, code) => {
  operator.attempts = [anAttempt(one.action_id, { event_time: '2026-03-04T05:06:30Z' })];
  expect((await operator.run('event', 'trace', 'event-1', '--org', one.org_id, '--at', at)).code).toBe(code);
});

describe('the time that a publisher names', () => {
  const DAY_MS = 86_400_000;
  /** `--at` begins the search at this number of milliseconds after the event; it is none without --at. */
  const SEARCHES = [
    [undefined, 0],
    [0, 0],
    [DAY_MS, 0],
    [-1000, 3],
  ] as const;

  test.each([
    ['40 days ago', -40 * DAY_MS],
    ['a minute ago', -60_000],
    ['in ten minutes', 600_000],
    ['in 40 days', 40 * DAY_MS],
  ])('does not hide an event: %s', async (_, away) => {
    const at = (milliseconds: number) => new Date(operator.clock.now().getTime() + milliseconds);
    const event_time = `${at(away).toISOString().slice(0, 19)}Z`;
    const failedOne = anAttempt(one.action_id, {
      ...failed('redirect'),
      event_time,
      started_at: at(-60_000).toISOString(),
    });
    operator.attempts = operator.records = [failedOne];
    const reading = {
      trace: ['event', 'trace', 'event-1', '--org', one.org_id],
      replay: ['event', 'replay', 'event-1', one.action_id, '--yes'],
      deliveries: ['deliveries', one.action_id, 'event-1'],
    };
    for (const [name, words] of Object.entries(reading)) {
      for (const [after, code] of SEARCHES) {
        const search = after === undefined ? [] : ['--at', new Date(Date.parse(event_time) + after).toISOString()];
        expect([name, after, (await operator.run(...words, ...search)).code]).toEqual([name, after, code]);
      }
    }
    for (const since of ['2m', at(-60_000).toISOString()]) {
      expect(await operator.json('deliveries', one.action_id, '--since', since)).toHaveLength(1);
      const failures = await operator.json('event', 'replay-failed', one.action_id, '--since', since, '--dry-run');
      expect(failures).toHaveLength(1);
      const lines = (await operator.run('export', '--org', one.org_id, '--since', since)).out;
      expect(lines).toContain('"reference":"event-1"');
    }
    for (const since of ['59s', at(-59_999).toISOString(), at(0).toISOString()]) {
      expect(await operator.json('deliveries', one.action_id, '--since', since)).toEqual([]);
      expect(await operator.json('event', 'replay-failed', one.action_id, '--since', since, '--dry-run')).toEqual([]);
      const lines = (await operator.run('export', '--org', one.org_id, '--since', since)).out;
      expect(lines).not.toContain('"reference":"event-1"');
    }
  });

  test.each(['nonsense', '2026-13-04', '2026-03-04T05:06:00', '-1h', '0h', '1w', ''])(
    'is refused as --at %j',
    async (at) => {
      const { code, err } = await operator.run('event', 'trace', 'event-1', '--org', one.org_id, '--at', at);
      expect([code, err]).toEqual([2, expect.stringContaining('--at <time>')]);
    },
  );
});

describe('event replay', () => {
  const replay = () => operator.run('event', 'replay', 'event-1', one.action_id, '--yes');

  test('sends the envelope of the log as a new first attempt', async () => {
    operator.attempts = [anAttempt(one.action_id)];
    expect((await replay()).code).toBe(0);
    const sent = { version: 1, action_id: one.action_id, attempt: 1, envelope: ENVELOPE };
    const replayed = { ...sent, replay: expect.stringMatching(/^[0-9a-f]{12}$/) };
    expect(operator.sentDeliveries).toEqual([replayed]);
  });

  test('is the same replay until the log has an attempt of it, and then another one', async () => {
    operator.attempts = [anAttempt(one.action_id)];
    const ids = () => operator.sentDeliveries.map((delivery) => delivery.replay);
    await Promise.all([replay(), replay()]);
    const [first] = ids();
    expect(ids()).toEqual([first, first]);
    operator.attempts = [...operator.attempts, anAttempt(one.action_id, { replay: first ?? null })];
    await replay();
    expect(new Set(ids()).size).toBe(2);
  });

  test('sends nothing beside a record that cannot be read, which may be an attempt of the same replay', async () => {
    operator.attempts = [anAttempt(one.action_id)];
    operator.unreadableRecords = [{ cause: new Error('Table log holds an item that cannot be read') }];
    expect((await replay()).err).toContain('cannot be read');
    expect(operator.sentDeliveries).toEqual([]);
  });

  test('needs no data for the method GET', async () => {
    await operator.json('action', 'update', one.action_id, '--method', 'GET');
    operator.attempts = [anAttempt(one.action_id, { payload: null })];
    await replay();
    expect(operator.sentDeliveries[0]?.envelope).toMatchObject({ id: 'event-1', data: {}, site_id: one.site_id });
  });

  test('is refused without the whole envelope, for a suspended organization, and for an Action that is off', async () => {
    expect(await replay()).toMatchObject({ code: 3, err: expect.stringContaining('has no attempt of event-1') });
    for (const changes of [{ payload_cut: true }, { payload: null }]) {
      operator.attempts = [anAttempt(one.action_id, changes)];
      expect((await replay()).err).toContain('payload: the log does not have the whole envelope');
    }
    operator.attempts = [anAttempt(one.action_id)];
    await operator.json('org', 'suspend', one.org_id, '--yes');
    expect(await replay()).toMatchObject({ code: 2, err: `org_id: ${one.org_id} is suspended\n` });
    await operator.json('action', 'update', one.action_id, '--disable');
    expect(await replay()).toMatchObject({ code: 2, err: `action_id: ${one.action_id} is disabled\n` });
    expect(operator.sentDeliveries).toEqual([]);
  });
});

describe('event replay-failed', () => {
  const time = (minutes: number) => new Date(operator.clock.now().getTime() - minutes * 60_000).toISOString();
  /** The last attempt of an event that happened this many minutes ago. */
  const ago = (minutes: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord => {
    const event_time = time(minutes);
    const reference = `event-${minutes}`;
    const payload = JSON.stringify({ ...ENVELOPE, id: reference, timestamp: event_time });
    const of = { action_id: one.action_id, reference, attempt: 3, payload, started_at: event_time, event_time };
    return attempt({ ...REFUSED, ...of, ...changes });
  };
  const log = (...records: DeliveryRecord[]) => {
    operator.records = records;
    operator.attempts = records;
  };
  const sent = () => operator.sentDeliveries.map(({ envelope }) => envelope.id);
  const replayFailed = (...words: string[]) =>
    operator.run('event', 'replay-failed', one.action_id, '--since', '1h', ...words);
  const delivered = { state: 'succeeded', success: true, status: 200, error: null } as const;

  test('sends nothing while an attempt cannot be read, which may be a success', async () => {
    log(ago(4));
    operator.unreadableRecords = [{ cause: new Error('Table log holds an item that cannot be read') }];
    expect(await replayFailed('--yes')).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
    expect(sent()).toEqual([]);
  });

  test('sends those since a time, the oldest first, and no other events', async () => {
    log(
      ago(1, { attempt: 1 }),
      ago(2, { state: 'started' }),
      ago(3, { trigger_ref: 'test.ping', attempt: 1, status: 404 }),
      ...[ago(4), ago(4, { attempt: 2 })],
      ...[ago(5, delivered), ago(5, { attempt: 1 })],
      ...[ago(6), ago(6, { attempt: 1, replay: 'a1', started_at: time(0), ...delivered })],
      ago(7, { status: 404, attempt: 1 }),
      ...[ago(8), ago(8, { replay: 'a2', attempt: 1, started_at: time(0) })],
      ago(90),
      // The publisher named a time of its own.
      ...[ago(57_600, { started_at: time(1) }), ago(57_600, { attempt: 2, started_at: time(70) })],
      // It was delivered before, and its replay failed.
      ...[ago(57_601, { started_at: time(1), replay: 'a3' }), ago(57_601, { started_at: time(90), ...delivered })],
    );
    const dry = await replayFailed('--dry-run');
    expect(dry.out.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'EVENT_ID',
      'event-57600',
      'event-7',
      'event-4',
      '',
    ]);
    expect(dry.err).toBe('3 events would be delivered again; nothing was sent\n');
    expect(sent()).toEqual([]);
    const { out } = await replayFailed('--yes', '--json');
    expect(JSON.parse(out)).toEqual({ action_id: one.action_id, since: time(60), sent: 3, unsent: {} });
    expect(sent()).toEqual(['event-57600', 'event-7', 'event-4']);
  });

  test('is the replay of the log as it was read, which another operator may have started since', async () => {
    log(ago(1), ago(2));
    const dry = JSON.parse((await replayFailed('--dry-run', '--json')).out);
    operator.whileWaiting = () => {
      operator.attempts = operator.records.flatMap((one) => [one, { ...one, ...delivered, replay: 'a1' }]);
      return true;
    };
    expect((await replayFailed('--yes')).code).toBe(0);
    const replays = operator.sentDeliveries.map(({ envelope, replay }) => ({ event_id: envelope.id, replay }));
    expect(dry).toMatchObject(replays);
    expect(replays).toHaveLength(2);
  });

  test('names the events that cannot be sent again, and sends the others', async () => {
    log(ago(1), ago(2, { payload_cut: true }), ago(3));
    const { out } = await replayFailed('--yes');
    expect(out).toMatch(/sent +2\n +unsent.event-2 +payload: the log does not have the whole envelope/);
    expect(sent()).toEqual(['event-3', 'event-1']);
  });

  test('goes on after an event whose records expire after the list was read', async () => {
    log(ago(1), ago(2), ago(3));
    operator.whileWaiting = () => {
      operator.attempts = operator.records.filter(({ reference }) => reference !== 'event-2');
      return true;
    };
    const { out } = await replayFailed('--yes');
    expect(out).toMatch(/sent +2\n +unsent.event-2 +.* no attempt of event-2/);
    expect(sent()).toEqual(['event-3', 'event-1']);
  });

  test('asks once, and ends after Ctrl-C; it does not ask when nothing failed', async () => {
    expect((await replayFailed('--dry-run')).out).toMatch(/^Nothing failed since /);
    expect((await replayFailed()).code).toBe(0);
    log(ago(1), ago(2));
    operator.terminal = true;
    expect((await replayFailed()).code).toBe(5);
    expect(operator.questions).toEqual([`Deliver 2 events to ${one.action_id} again? [y/N] `]);
    operator.whileWaiting = (pauses) => pauses < 2;
    operator.answer = 'y';
    expect(await replayFailed()).toMatchObject({ code: 1, err: 'Interrupted: run the command again to continue\n' });
    expect(sent()).toEqual(['event-2']);
  });
});
