import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

const DELIVERY = {
  version: 1,
  action_id: 'act_1',
  attempt: 2,
  envelope: {
    id: 'event-1',
    event: 'message.sent',
    timestamp: 't',
    data: { text: 'private' },
    site_id: 's',
    org_id: 'o',
  },
};
const EVENT = {
  id: 'event-2',
  'detail-type': 'sms.sent',
  time: 't',
  detail: { org_id: 'o', data: { text: 'private' } },
};

test('a dry run prints events and ids without payloads, and moves nothing', async () => {
  const { deliveries, events } = operator.deadLetters;
  deliveries.add('message-1', DELIVERY);
  deliveries.add('message-2', 'private, not JSON');
  deliveries.add('message-3', { ...DELIVERY, version: 9, envelope: 'private' });
  events.add('message-4', EVENT);
  const sent_at = '2026-03-04T05:06:07.250Z';
  expect(await operator.json('redrive', 'deliveries', '--dry-run')).toEqual([
    {
      message_id: 'message-1',
      sent_at,
      version: 1,
      event: 'message.sent',
      event_id: 'event-1',
      org_id: 'o',
      action_id: 'act_1',
      attempt: 2,
      bytes: JSON.stringify(DELIVERY).length,
    },
    expect.objectContaining({ message_id: 'message-2', version: null, event: null, action_id: null }),
    expect.objectContaining({ message_id: 'message-3', version: 9, event: null, action_id: 'act_1' }),
  ]);
  const { out, err } = await operator.run('redrive', 'deliveries', '--dry-run', '--limit', '2');
  expect(out).not.toContain('private');
  expect(out.split('\n')[1]).toMatch(/message\.sent +event-1 +o +act_1 +2 +1 +\d+ +message-1$/);
  expect(out).toMatch(/unreadable/);
  expect(err).toBe('About 3 dead letters of deliveries, 2 shown; nothing was moved\n');
  expect(await operator.json('redrive', 'events', '--dry-run')).toEqual([
    {
      message_id: 'message-4',
      sent_at,
      version: 1,
      event: 'sms.sent',
      event_id: 'event-2',
      org_id: 'o',
      bytes: JSON.stringify(EVENT).length,
    },
  ]);
  expect([...deliveries.movedBack, ...events.movedBack]).toEqual([]);
  expect(deliveries.hidden.size + events.hidden.size).toBe(0);
});

test('moves each dead letter once, also one that becomes a dead letter again', async () => {
  const { deliveries } = operator.deadLetters;
  for (let i = 1; i <= 5; i++) deliveries.add(`message-${i}`, DELIVERY);
  deliveries.diesAgain.add('message-2');
  expect(await operator.json('redrive', 'deliveries', '--yes')).toEqual({ queue: 'deliveries', moved: 5, again: 1 });
  expect(deliveries.movedBack.map((letter) => letter.message_id).sort()).toEqual(
    [1, 2, 3, 4, 5].map((i) => `message-${i}`),
  );
  expect(deliveries.waiting).toHaveLength(1);
  expect(deliveries.hidden.size).toBe(0);
});

test('asks for confirmation at a terminal', async () => {
  operator.terminal = true;
  operator.deadLetters.events.add('message-1', EVENT);
  expect(await operator.run('redrive', 'events')).toMatchObject({ code: 5, err: 'Nothing was changed\n' });
  expect(operator.questions).toEqual(['Move about 1 dead letters back to events? [y/N] ']);
  expect(operator.deadLetters.events.movedBack).toEqual([]);
  expect((await operator.run('redrive', 'events', '--yes')).code).toBe(0);
  expect(operator.deadLetters.events.movedBack).toHaveLength(1);
});

test('accepts an empty queue, and refuses an unknown queue', async () => {
  expect((await operator.run('redrive', 'events', '--dry-run')).out).toBe('No dead letters of events\n');
  expect(await operator.json('redrive', 'events', '--yes')).toEqual({ queue: 'events', moved: 0, again: 0 });
  expect((await operator.run('redrive', 'all')).code).toBe(2);
});
