import { type Environments, needsAnother } from '../../../../local/cloud/functions/growth.ts';

const working = (share: number) => ({ share, stuckMs: 0 });
const stuck = { share: 1, stuckMs: 100 };
const TWO = { most: 12, processors: 2, idleProcessors: 0.5 };

test.each<[string, Partial<Environments>, boolean]>([
  ['one that is at work is enough', { waiting: [working(0.1)] }, false],
  ['one that waits for an endpoint half of the time is not enough', { waiting: [working(0.5)] }, true],
  ['but not while another is there already', { waiting: [working(0.5)], idle: 1 }, false],
  ['nor while another starts', { waiting: [working(0.5)], starting: 1 }, false],
  ['two that wait half of the time are at work together', { waiting: [working(0.5), working(0.5)] }, false],
  ['one that is stuck counts as not there', { waiting: [stuck], idle: 1 }, true],
  [
    'and so do others beside it, until three are there for the rest',
    { waiting: [stuck, stuck, working(0.2)], idle: 2 },
    false,
  ],
  ['starting ones count among the three', { waiting: [stuck, working(0)], starting: 2 }, false],
  ['an idle one is enough', { idle: 1 }, false],
])('%s', (_, environments, expected) => {
  expect(needsAnother({ waiting: [], idle: 0, starting: 0, ...environments }, TWO)).toBe(expected);
});

test('never more than are allowed', () => {
  const allStuck = { waiting: [stuck, stuck, stuck], idle: 0, starting: 0 };
  expect(needsAnother(allStuck, { ...TWO, most: 3 })).toBe(false);
  expect(needsAnother(allStuck, { ...TWO, most: 4 })).toBe(true);
});

test('a machine with more processors lets more of one function be at work', () => {
  const bothWork = { waiting: [working(0), working(0)], idle: 0, starting: 0 };
  expect(needsAnother(bothWork, TWO)).toBe(false);
  expect(needsAnother(bothWork, { ...TWO, processors: 8 })).toBe(true);
});

test('while the processors are busy, another one starts only beside one that has been stuck for a second', () => {
  const busy = { ...TWO, idleProcessors: 0.1 };
  const beside = (waiting: Environments['waiting']) => needsAnother({ waiting, idle: 0, starting: 0 }, busy);
  expect([beside([working(0.5)]), beside([stuck]), beside([{ share: 1, stuckMs: 1000 }])]).toEqual([
    false,
    false,
    true,
  ]);
});
