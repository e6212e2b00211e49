import type { EventAttempt } from '../../src/domain/operations/event-attempts.ts';
import { attempt } from './attempts.ts';
import { FakeOperator } from './operator.ts';

const ENVELOPE = {
  id: 'event-1',
  event: 'conversation.started',
  timestamp: '2026-03-04T05:06:00Z',
  data: { text: 'of a visitor' },
  site_id: 'site_x',
  org_id: 'org_x',
};

const anAttempt = (action_id: string, changes: Partial<EventAttempt> = {}) =>
  attempt({ action_id, event_time: ENVELOPE.timestamp, payload: JSON.stringify(ENVELOPE), ...changes });
const failed = (code: 'timeout' | 'redirect') =>
  ({ state: 'failed', success: false, status: null, error: { code, message: code } }) as const;

async function operatorWithAction() {
  const operator = new FakeOperator();
  const one = await operator.action();
  const more = async (name: string, ...words: string[]) =>
    (
      await operator.json<{ action_id: string }>(
        ...['action', 'create', '--site', one.site_id, '--trigger', 'Event', '--name', name],
        ...['--url', 'https://crm.example/', '--event', 'conversation.started', ...words],
      )
    ).action_id;
  return { operator, one, more };
}

describe('a trace', () => {
  test('shows the outcome of the event for each Action', async () => {
    const { operator, one, more } = await operatorWithAction();
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
    const trace = await operator.json<{ deliveries: { action_id: string }[] }>(
      ...['event', 'trace', 'event-1', '--org', one.org_id],
    );
    expect(trace).toMatchObject({
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
    const { out, err } = await operator.run('event', 'trace', 'event-1', '--org', one.org_id);
    expect(err).toBe('conversation.started event-1, accepted by the bus at 2026-03-04T05:06:00Z\n');
    expect(out).toMatch(/failed +1 \(replay\)/);
    expect(`${out}${JSON.stringify(trace)}`).not.toContain('visitor');
  });

  test('reports an event that no log contains', async () => {
    const { operator, one } = await operatorWithAction();
    expect(await operator.run('event', 'trace', 'event-9', '--org', one.org_id)).toMatchObject({
      code: 3,
      err: 'event_id: the logs have no attempt of event-9 in the last 24 hours; the enabled Actions are subscribed to conversation.started\n',
    });
    const words = ['event', 'trace', 'event-9', '--org', one.org_id, '--at', '2026-01-01T00:00:00Z'];
    expect((await operator.run(...words)).err).toMatch(/ at 2026-01-01T00:00:00Z; /);
  });
});

describe('a replay', () => {
  test('sends the envelope of the log as a new first attempt', async () => {
    const { operator, one } = await operatorWithAction();
    operator.attempts = [anAttempt(one.action_id)];
    const replay = await operator.json<{ replay: string }>('event', 'replay', 'event-1', one.action_id, '--yes');
    expect(replay).toMatchObject({ event_id: 'event-1', event: 'conversation.started', action_id: one.action_id });
    expect(operator.sentDeliveries).toEqual([
      { version: 1, action_id: one.action_id, attempt: 1, replay: replay.replay, envelope: ENVELOPE },
    ]);
    const again = await operator.json<{ replay: string }>('event', 'replay', 'event-1', one.action_id, '--yes');
    expect(again.replay).not.toBe(replay.replay);
  });

  test('needs no data for the method GET', async () => {
    const { operator, one } = await operatorWithAction();
    await operator.json('action', 'update', one.action_id, '--method', 'GET');
    operator.attempts = [anAttempt(one.action_id, { payload: null })];
    await operator.json('event', 'replay', 'event-1', one.action_id, '--yes');
    expect(operator.sentDeliveries[0]?.envelope).toMatchObject({ id: 'event-1', data: {}, site_id: one.site_id });
  });

  test.each<[string, (action: string) => EventAttempt[]]>([
    ['holds no attempt of event-1', () => []],
    ['payload: the log does not have the whole envelope', (id) => [anAttempt(id, { payload_cut: true })]],
    ['payload: the log does not have the whole envelope', (id) => [anAttempt(id, { payload: null })]],
  ])('is refused with: %s', async (message, attempts) => {
    const { operator, one } = await operatorWithAction();
    operator.attempts = attempts(one.action_id);
    expect((await operator.run('event', 'replay', 'event-1', one.action_id, '--yes')).err).toContain(message);
    expect(operator.sentDeliveries).toEqual([]);
  });

  test('is refused for a suspended organization and an Action that is switched off, and asks for confirmation first', async () => {
    const { operator, one } = await operatorWithAction();
    operator.attempts = [anAttempt(one.action_id)];
    operator.terminal = true;
    expect((await operator.run('event', 'replay', 'event-1', one.action_id)).code).toBe(5);
    expect(operator.questions).toHaveLength(1);
    const stored = await operator.store.findActionById(one.action_id);
    if (stored !== undefined) operator.store.actions.set(one.action_id, { ...stored, suspended: true });
    expect(await operator.run('event', 'replay', 'event-1', one.action_id, '--yes')).toMatchObject({
      code: 2,
      err: `org_id: ${one.org_id} is suspended\n`,
    });
    await operator.json('action', 'update', one.action_id, '--disable');
    expect(await operator.run('event', 'replay', 'event-1', one.action_id, '--yes')).toMatchObject({
      code: 2,
      err: `action_id: ${one.action_id} is disabled\n`,
    });
    expect(operator.sentDeliveries).toEqual([]);
  });
});
