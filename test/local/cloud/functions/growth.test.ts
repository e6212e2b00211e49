import { type Environments, needsAnother } from '../../../../local/cloud/functions/growth.ts';

const working = (share: number) => ({ share, stuckMs: 0 });
const stuck = { share: 1, stuckMs: 100 };
const TWO = { most: 12, processors: 2, idleProcessors: 0.5 };

test.each<[string, Partial<Environments>, boolean]>([
  ['starts none beside one that works', { waiting: [working(0.1)] }, false],
  ['starts one beside one that waits for an endpoint half of the time', { waiting: [working(0.5)] }, true],
  ['starts none while one is idle', { waiting: [working(0.5)], idle: 1 }, false],
  ['starts none while one is starting', { waiting: [working(0.5)], starting: 1 }, false],
  ['starts none beside two that wait half of the time', { waiting: [working(0.5), working(0.5)] }, false],
  ['starts one when one is stuck, even if another is idle', { waiting: [stuck], idle: 1 }, true],
  [
    'starts none while three are available beside those that are stuck',
    { waiting: [stuck, stuck, working(0.2)], idle: 2 },
    false,
  ],
  [
    'starts one after the other, because a start takes a processor',
    { waiting: [stuck, working(0)], starting: 1 },
    false,
  ],
  ['starts none when one is idle', { idle: 1 }, false],
])('%s', (_, environments, expected) => {
  expect(needsAnother({ waiting: [], idle: 0, starting: 0, ...environments }, TWO)).toBe(expected);
});

test('starts several at once on a machine with more processors, and counts them among the three', () => {
  const oneStarts = { waiting: [stuck, working(0)], idle: 0, starting: 1 };
  expect(needsAnother(oneStarts, { ...TWO, processors: 4 })).toBe(true);
  expect(needsAnother({ ...oneStarts, starting: 2 }, { ...TWO, processors: 8 })).toBe(false);
});

test('never starts more environments than the maximum', () => {
  const allStuck = { waiting: [stuck, stuck, stuck], idle: 0, starting: 0 };
  expect(needsAnother(allStuck, { ...TWO, most: 3 })).toBe(false);
  expect(needsAnother(allStuck, { ...TWO, most: 4 })).toBe(true);
});

test('runs more environments of one function on a machine with more processors', () => {
  const bothWork = { waiting: [working(0), working(0)], idle: 0, starting: 0 };
  expect(needsAnother(bothWork, TWO)).toBe(false);
  expect(needsAnother(bothWork, { ...TWO, processors: 8 })).toBe(true);
});

test('while the processors are busy, starts an environment only for one that has been stuck for a second', () => {
  const busy = { ...TWO, idleProcessors: 0.1 };
  const beside = (waiting: Environments['waiting']) => needsAnother({ waiting, idle: 0, starting: 0 }, busy);
  expect([beside([working(0.5)]), beside([stuck]), beside([{ share: 1, stuckMs: 1000 }])]).toEqual([
    false,
    false,
    true,
  ]);
});
