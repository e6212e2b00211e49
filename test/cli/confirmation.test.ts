import type { Command } from 'commander';
import { commandLine } from '../../cli/program.ts';
import { attempt, REFUSED } from './attempts.ts';
import { FakeOperator } from './operator.ts';

function asking(command: Command, path: readonly string[] = []): string[] {
  const here = command.options.some(({ long }) => long === '--yes') ? [path.join(' ')] : [];
  return [...here, ...command.commands.flatMap((child) => asking(child, [...path, child.name()]))];
}

const WORDS: Readonly<Record<string, (of: { action_id: string; site_id: string; org_id: string }) => string[]>> = {
  'org suspend': ({ org_id }) => [org_id],
  'org delete': ({ org_id }) => [org_id],
  'assistant delete': ({ site_id }) => [site_id],
  'action delete': ({ action_id }) => [action_id],
  'secret regenerate': ({ site_id }) => [site_id],
  'event replay': ({ action_id }) => ['event-1', action_id],
  'event replay-failed': ({ action_id }) => [action_id, '--since', '1h'],
  erase: ({ org_id }) => ['--org', org_id, '--user', 'u-1'],
  redrive: () => ['deliveries'],
  warm: () => ['--deliveries-per-second', '10000'],
  'keys reseal': () => [],
  'keys rotate-origin': () => [],
  'keys revoke': () => [],
};

test('the next test covers every command with --yes', async () => {
  expect(asking(await commandLine(async () => {})).toSorted()).toEqual(Object.keys(WORDS).toSorted());
});

test.each(Object.entries(WORDS))('%s changes nothing without a terminal and without --yes', async (path, words) => {
  const operator = new FakeOperator();
  const ids = await operator.action();
  await operator.json('assistant', 'update', ids.site_id, '--mode', 'session-signed');
  await operator.json('secret', 'generate', ids.site_id);
  const state = () =>
    structuredClone([...operator.store.assistants, ...operator.store.actions, ...operator.store.organizations]);
  operator.records = [attempt({ ...REFUSED, attempt: 3 })];
  operator.whileWaiting = () => true;
  const before = state();
  const { code, out, err } = await operator.run(...path.split(' '), ...words(ids));
  expect([code, out]).toEqual([5, '']);
  expect(err).toMatch(/\? .*There is no terminal for the answer: use --yes\n$/);
  expect(state()).toEqual(before);
  expect([operator.sentDeliveries, operator.originSecrets, operator.sealingRing.ring.length]).toEqual([[], [], 1]);
  const { code: again } = await operator.run(...path.split(' '), ...words(ids), '--json');
  expect(again).toBe(5);
});
