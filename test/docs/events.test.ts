import { EVENT_CATALOG, EVENT_NAMES, type EventName } from '../../src/contract/events.ts';
import { readDocument, tableRows } from './documents.ts';

/** The contents of `data` for the three events for which the spec defines them. */
const DATA: Partial<Record<EventName, string>> = {
  'conversation.started': '`conversation_id`, `session_id`, `visitor_id`, `referrer`',
  'conversation.ended': 'conversation id, session id, message count',
  'conversation.resolved': 'conversation id, session id, message count',
};

test('docs/events.md has the catalog, in its order and words', () => {
  const rows = tableRows(readDocument('docs/events.md'), '| Group | Event | Fires when | `data` |');
  expect(rows).toEqual(
    EVENT_NAMES.map((name) => {
      const { group, firesWhen, reserved } = EVENT_CATALOG[name];
      return [group, `\`${name}\``, firesWhen, reserved ? 'reserved' : (DATA[name] ?? 'not shown')];
    }),
  );
});
