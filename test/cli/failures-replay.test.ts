import type { EventAttempt } from '../../src/domain/operations/event-attempts.ts';
import { attempt, REFUSED } from './attempts.ts';
import { FakeOperator } from './operator.ts';

async function operatorWithAttempts() {
  const operator = new FakeOperator();
  operator.whileWaiting = () => true;
  const { action_id, site_id, org_id } = await operator.action();
  const time = (minutes: number) => new Date(operator.clock.now().getTime() - minutes * 60_000).toISOString();
  /** The last attempt of an event that happened this many minutes ago. */
  const attemptAgo = (minutes: number, changes: Partial<EventAttempt> = {}): EventAttempt => {
    const event_time = time(minutes);
    const id = `event-${minutes}`;
    const envelope = { id, event: 'conversation.started', timestamp: event_time, data: {}, site_id, org_id };
    const payload = JSON.stringify(envelope);
    const times = { started_at: event_time, event_time };
    return attempt({ ...REFUSED, action_id, reference: id, attempt: 3, payload, ...times, ...changes });
  };
  const log = (...records: EventAttempt[]) => {
    operator.records = records;
    operator.attempts = records;
  };
  const sent = () => operator.sentDeliveries.map(({ envelope }) => envelope.id);
  return { operator, action_id, attempt: attemptAgo, time, log, sent };
}

const delivered = { state: 'succeeded', success: true, status: 200, error: null } as const;

test('delivers the failed events since a time, the oldest first, and no other events', async () => {
  const { operator, action_id, attempt, time, log, sent } = await operatorWithAttempts();
  log(
    attempt(1, { attempt: 1 }),
    attempt(2, { state: 'started' }),
    attempt(3, { trigger_ref: 'test.ping', attempt: 1, status: 404 }),
    attempt(4),
    attempt(4, { attempt: 2 }),
    attempt(5, delivered),
    attempt(5, { attempt: 1 }),
    attempt(6),
    attempt(6, { attempt: 1, replay: 'a1', started_at: time(0), ...delivered }),
    attempt(7, { status: 404, attempt: 1 }),
    attempt(8),
    attempt(8, { replay: 'a2', attempt: 1, started_at: time(0) }),
    attempt(90),
  );
  const dry = await operator.run('event', 'replay-failed', action_id, '--since', '1h', '--dry-run');
  expect(dry.out.split('\n').map((line) => line.split(' ')[0])).toEqual(['EVENT_ID', 'event-7', 'event-4', '']);
  expect(dry.err).toBe('2 events would be delivered again; nothing was sent\n');
  expect(sent()).toEqual([]);
  const done = await operator.json('event', 'replay-failed', action_id, '--since', '1h', '--yes');
  expect(done).toEqual({ action_id, since: time(60), sent: 2, unsent: [] });
  expect(sent()).toEqual(['event-7', 'event-4']);
});

test('names the events that cannot be sent again, and sends the others', async () => {
  const { operator, action_id, attempt, log, sent } = await operatorWithAttempts();
  log(attempt(1), attempt(2, { payload_cut: true }), attempt(3));
  const { out } = await operator.run('event', 'replay-failed', action_id, '--since', '1h', '--yes');
  expect(out).toMatch(/sent +2\n +unsent +event-2: payload: the log does not have the whole envelope/);
  expect(sent()).toEqual(['event-3', 'event-1']);
});

test('asks once, and ends after Ctrl-C', async () => {
  const { operator, action_id, attempt, log, sent } = await operatorWithAttempts();
  log(attempt(1), attempt(2));
  operator.terminal = true;
  expect((await operator.run('event', 'replay-failed', action_id, '--since', '1h')).code).toBe(5);
  expect(operator.questions).toEqual([`Deliver 2 events to ${action_id} again? [y/N] `]);
  operator.whileWaiting = (pauses) => pauses < 2;
  operator.answer = 'y';
  expect(await operator.run('event', 'replay-failed', action_id, '--since', '1h')).toMatchObject({
    code: 1,
    err: 'Interrupted: run the command again to continue\n',
  });
  expect(sent()).toEqual(['event-2']);
});

test('handles no failures, an Action that is switched off, and an unknown Action', async () => {
  const { operator, action_id, log } = await operatorWithAttempts();
  log();
  const none = await operator.run('event', 'replay-failed', action_id, '--since', '1h', '--dry-run');
  expect(none.out).toMatch(/^Nothing failed since /);
  expect((await operator.run('event', 'replay-failed', action_id, '--since', '1h')).code).toBe(0);
  expect((await operator.run('event', 'replay-failed', 'act_x', '--since', '1h')).code).toBe(3);
  await operator.json('action', 'update', action_id, '--disable');
  expect(await operator.run('event', 'replay-failed', action_id, '--since', '1h')).toMatchObject({
    code: 2,
    err: `action_id: ${action_id} is disabled\n`,
  });
});
