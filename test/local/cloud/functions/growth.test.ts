import { type Environments, isStuck, mayAdd, needsAnother } from '../../../../local/cloud/functions/growth.ts';

const working = (share: number) => ({ share, stuckMs: 0 });
const stuck = { share: 1, stuckMs: 100 };
const TWO = { most: 12, processors: 2, idleProcessors: 0.5 };

test.each<[string, Partial<Environments>, boolean]>([
  ['starts none beside one that works', { waiting: [working(0.1)] }, false],
  ['starts one beside one that waits for an endpoint half of the time', { waiting: [working(0.5)] }, true],
  ['starts none while one is idle', { waiting: [working(0.5)], idle: 1 }, false],
  ['starts none while one is starting', { waiting: [working(0.5)], starting: 1 }, false],
  ['starts none beside two that wait half of the time', { waiting: [working(0.5), working(0.5)] }, false],
  ['starts one when all are stuck', { waiting: [stuck, stuck] }, true],
  ['starts none beside one that is stuck while another is idle', { waiting: [stuck], idle: 1 }, false],
  ['starts none beside one that is stuck while another is starting', { waiting: [stuck], starting: 1 }, false],
  ['starts none beside one that is stuck while another works', { waiting: [stuck, working(0.2)] }, false],
  ['starts one beside one that is stuck and one that waits half of the time', { waiting: [stuck, working(0.5)] }, true],
  ['starts none when one is idle', { idle: 1 }, false],
])('%s', (_, environments, expected) => {
  expect(needsAnother({ waiting: [], idle: 0, starting: 0, ...environments }, TWO)).toBe(expected);
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

test('an environment is stuck after 0.1 s in which it only waits for an endpoint, and after 1 s while the processors are busy', () => {
  const after = (stuckMs: number, idleProcessors: number) => isStuck({ share: 1, stuckMs }, { ...TWO, idleProcessors });
  expect([after(99, 0.5), after(100, 0.5), after(999, 0.1), after(1000, 0.1)]).toEqual([false, true, false, true]);
});

test('adds an environment that can wait once a second at most, none beside one that starts, and none while the processors are busy', () => {
  const two = { waiting: [working(0.1)], idle: 1, starting: 0 };
  expect(mayAdd(two, 1000, TWO)).toBe(true);
  expect(mayAdd(two, 999, TWO)).toBe(false);
  expect(mayAdd({ ...two, starting: 1 }, 1000, TWO)).toBe(false);
  expect(mayAdd(two, 1000, { ...TWO, idleProcessors: 0.1 })).toBe(false);
  expect(mayAdd(two, 1000, { ...TWO, most: 2 })).toBe(false);
});
