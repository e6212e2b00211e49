import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';
import { attempt, REFUSED } from './attempts.ts';
import { FakeOperator } from './operator.ts';

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

describe('a trace', () => {
  const trace = (id: string, ...words: string[]) => operator.run('event', 'trace', id, '--org', one.org_id, ...words);

  test('shows the outcome of the event for each Action', async () => {
    const more = async (name: string, ...words: string[]) => {
      const settings = ['--name', name, '--url', 'https://crm.example/', '--event', 'conversation.started', ...words];
      const create = ['action', 'create', '--site', one.site_id, '--trigger', 'Event', ...settings];
      return (await operator.json<{ action_id: string }>(...create)).action_id;
    };
    const retried = await more('Retried');
    const lost = await more('Given up');
    const off = await more('Off', '--disabled');
    await more('Late');
    operator.attempts = [
      anAttempt(one.action_id),
      anAttempt(retried, failed('timeout')),
      anAttempt(lost, failed('redirect')),
      anAttempt(lost, { replay: '0123456789ab' }),
    ];
    const json = await trace('event-1', '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      event_id: 'event-1',
      event: 'conversation.started',
      time: ENVELOPE.timestamp,
      deliveries: [
        { action_id: one.action_id, outcome: 'delivered', attempts: [{ attempt: 1, status: 200 }] },
        { action_id: retried, outcome: 'under_way' },
        { action_id: lost, outcome: 'failed', attempts: [{ replay: null }, { replay: '0123456789ab', success: true }] },
        { action_id: off, outcome: 'none', attempts: [] },
        { outcome: 'none', note: 'the Action was created after the event' },
      ],
    });
    const { out, err } = await trace('event-1');
    expect(err).toBe('conversation.started event-1, accepted by the bus at 2026-03-04T05:06:00Z\n');
    expect(out).toMatch(/failed +1 \(replay\)/);
    expect(out + json.out).not.toContain('visitor');
  });

  test('of an event that no log contains says where it searched, and what the Actions are subscribed to', async () => {
    expect(await trace('event-9')).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /^event_id: the logs have no attempt of event-9 from .* to .*; the enabled Actions are subscribed to conversation.started\n/,
      ),
    });
    expect((await trace('event-9', '--at', '2026-01-01T00:00:00Z')).err).toMatch(/ at 2026-01-01T00:00:00Z; /);
  });
});

describe('a replay', () => {
  const replay = () => operator.run('event', 'replay', 'event-1', one.action_id, '--yes');

  test('sends the envelope of the log as a new first attempt', async () => {
    operator.attempts = [anAttempt(one.action_id)];
    expect([(await replay()).code, (await replay()).code]).toEqual([0, 0]);
    const sent = { version: 1, action_id: one.action_id, attempt: 1, envelope: ENVELOPE };
    const [first, second] = operator.sentDeliveries;
    expect([first, second]).toMatchObject([sent, sent]);
    expect(first?.replay).toMatch(/^[0-9a-f]{12}$/);
    expect(first?.replay).not.toBe(second?.replay);
  });

  test('needs no data for the method GET', async () => {
    await operator.json('action', 'update', one.action_id, '--method', 'GET');
    operator.attempts = [anAttempt(one.action_id, { payload: null })];
    await replay();
    expect(operator.sentDeliveries[0]?.envelope).toMatchObject({ id: 'event-1', data: {}, site_id: one.site_id });
  });

  test.each<[string, (action: string) => DeliveryRecord[]]>([
    ['has no attempt of event-1', () => []],
    ['payload: the log does not have the whole envelope', (id) => [anAttempt(id, { payload_cut: true })]],
    ['payload: the log does not have the whole envelope', (id) => [anAttempt(id, { payload: null })]],
  ])('is refused with: %s', async (message, attempts) => {
    operator.attempts = attempts(one.action_id);
    expect((await replay()).err).toContain(message);
    expect(operator.sentDeliveries).toEqual([]);
  });

  test('is refused for a suspended organization, and for an Action that is switched off', async () => {
    operator.attempts = [anAttempt(one.action_id)];
    const stored = await operator.store.findActionById(one.action_id);
    if (stored !== undefined) operator.store.actions.set(one.action_id, { ...stored, suspended: true });
    expect(await replay()).toMatchObject({ code: 2, err: `org_id: ${one.org_id} is suspended\n` });
    await operator.json('action', 'update', one.action_id, '--disable');
    expect(await replay()).toMatchObject({ code: 2, err: `action_id: ${one.action_id} is disabled\n` });
    expect(operator.sentDeliveries).toEqual([]);
  });
});

describe('a replay of all failed events', () => {
  const time = (minutes: number) => new Date(operator.clock.now().getTime() - minutes * 60_000).toISOString();
  /** The last attempt of an event that happened this many minutes ago. */
  const ago = (minutes: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord => {
    const event_time = time(minutes);
    const id = `event-${minutes}`;
    const payload = JSON.stringify({ ...ENVELOPE, id, timestamp: event_time });
    const times = { started_at: event_time, event_time };
    return attempt({ ...REFUSED, action_id: one.action_id, reference: id, attempt: 3, payload, ...times, ...changes });
  };
  const log = (...records: DeliveryRecord[]) => {
    operator.records = records;
    operator.attempts = records;
  };
  const sent = () => operator.sentDeliveries.map(({ envelope }) => envelope.id);
  const replayFailed = (...words: string[]) =>
    operator.run('event', 'replay-failed', one.action_id, '--since', '1h', ...words);
  const delivered = { state: 'succeeded', success: true, status: 200, error: null } as const;

  test('sends those since a time, the oldest first, and no other events', async () => {
    log(
      ago(1, { attempt: 1 }),
      ago(2, { state: 'started' }),
      ago(3, { trigger_ref: 'test.ping', attempt: 1, status: 404 }),
      ago(4),
      ago(4, { attempt: 2 }),
      ago(5, delivered),
      ago(5, { attempt: 1 }),
      ago(6),
      ago(6, { attempt: 1, replay: 'a1', started_at: time(0), ...delivered }),
      ago(7, { status: 404, attempt: 1 }),
      ago(8),
      ago(8, { replay: 'a2', attempt: 1, started_at: time(0) }),
      ago(90),
    );
    const dry = await replayFailed('--dry-run');
    expect(dry.out.split('\n').map((line) => line.split(' ')[0])).toEqual(['EVENT_ID', 'event-7', 'event-4', '']);
    expect(dry.err).toBe('2 events would be delivered again; nothing was sent\n');
    expect(sent()).toEqual([]);
    const { out } = await replayFailed('--yes', '--json');
    expect(JSON.parse(out)).toEqual({ action_id: one.action_id, since: time(60), sent: 2, unsent: {} });
    expect(sent()).toEqual(['event-7', 'event-4']);
  });

  test('names the events that cannot be sent again, and sends the others', async () => {
    log(ago(1), ago(2, { payload_cut: true }), ago(3));
    const { out } = await replayFailed('--yes');
    expect(out).toMatch(/sent +2\n +unsent.event-2 +payload: the log does not have the whole envelope/);
    expect(sent()).toEqual(['event-3', 'event-1']);
  });

  test('asks once, and ends after Ctrl-C', async () => {
    log(ago(1), ago(2));
    operator.terminal = true;
    expect((await replayFailed()).code).toBe(5);
    expect(operator.questions).toEqual([`Deliver 2 events to ${one.action_id} again? [y/N] `]);
    operator.whileWaiting = (pauses) => pauses < 2;
    operator.answer = 'y';
    expect(await replayFailed()).toMatchObject({ code: 1, err: 'Interrupted: run the command again to continue\n' });
    expect(sent()).toEqual(['event-2']);
  });

  test('asks and sends nothing when nothing failed', async () => {
    log();
    expect((await replayFailed('--dry-run')).out).toMatch(/^Nothing failed since /);
    expect((await replayFailed()).code).toBe(0);
  });
});
