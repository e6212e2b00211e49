import { setTimeout as pause } from 'node:timers/promises';
import { HEADS_OF_SPACES } from '../adapters/outbound/hostile-servers.ts';
import { system } from './system.ts';

/** Tests that one organization's endpoint takes no time from the deliveries of another one: both share the dispatcher's only thread. */

test.each(Object.entries(HEADS_OF_SPACES))('events arrive once each and in their time beside %s', async (_, pieces) => {
  const [hostile, neighbor] = [await system.organization(), await system.organization()];
  const path = `/${neighbor.siteId}/slow`;
  const hostilePath = `/${hostile.siteId}/hostile`;
  system.receiver.answerInPieces(hostilePath, pieces);
  system.receiver.answer(path, [200], () => pause(400, '{}'));
  const attacking = await system.eventAction(hostile.siteId, hostilePath, ['message.sent']);
  const action = await system.eventAction(neighbor.siteId, path, ['message.sent']);
  const put = (site: typeof hostile) => system.operator.putEvent({ name: 'message.sent', ...site, data: {} });
  await Promise.all([hostile, hostile, hostile, ...Array.from({ length: 5 }, () => neighbor)].map(put));
  const records = await system.finished(action, 5);
  expect(records.map(({ success, attempt, sends }) => ({ success, attempt, sends }))).toEqual(
    Array.from({ length: 5 }, () => ({ success: true, attempt: 1, sends: 1 })),
  );
  expect(system.receiver.to(path).length).toBe(5);
  for (const record of await system.finished(attacking, 3)) expect(record).toMatchObject({ status: 200, attempt: 1 });
});
