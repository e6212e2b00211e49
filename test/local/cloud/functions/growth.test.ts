import { type Environments, isStuck, mayAdd, needsAnother } from '../../../../local/cloud/functions/growth.ts';

const working = (share: number) => ({ share, stuck: false });
const stuck = { share: 1, stuck: true };
const half = { recently: 0.5, now: 0.5 };
const little = { recently: 0.1, now: 0.1 };
const TWO = { most: 12, processors: 2, idle: half, usualMs: 10 };

test.each<[string, Partial<Environments>, boolean]>([
  ['starts none beside one that works', { busy: [working(0.1)] }, false],
  ['starts one beside one that waits for an endpoint half of the time', { busy: [working(0.5)] }, true],
  ['starts none while one is idle', { busy: [working(0.5)], idle: 1 }, false],
  ['starts none while one is starting', { busy: [working(0.5)], starting: 1 }, false],
  ['starts none beside two that wait half of the time', { busy: [working(0.5), working(0.5)] }, false],
  ['starts one when all are stuck', { busy: [stuck, stuck] }, true],
  ['starts none beside one that is stuck while another is idle', { busy: [stuck], idle: 1 }, false],
  ['starts none beside one that is stuck while another is starting', { busy: [stuck], starting: 1 }, false],
  ['starts none beside one that is stuck while another works', { busy: [stuck, working(0.2)] }, false],
  ['starts one beside one that is stuck and one that waits half of the time', { busy: [stuck, working(0.5)] }, true],
  ['starts none when one is idle', { idle: 1 }, false],
])('%s', (_, environments, expected) => {
  expect(needsAnother({ busy: [], idle: 0, starting: 0, ...environments }, TWO)).toBe(expected);
});

test('never starts more environments than the maximum', () => {
  const allStuck = { busy: [stuck, stuck, stuck], idle: 0, starting: 0 };
  expect(needsAnother(allStuck, { ...TWO, most: 3 })).toBe(false);
  expect(needsAnother(allStuck, { ...TWO, most: 4 })).toBe(true);
});

test('runs more environments of one function on a machine with more processors', () => {
  const bothWork = { busy: [working(0), working(0)], idle: 0, starting: 0 };
  expect(needsAnother(bothWork, TWO)).toBe(false);
  expect(needsAnother(bothWork, { ...TWO, processors: 8 })).toBe(true);
});

test('while the processors are busy, starts an environment only when all others are stuck', () => {
  const busyProcessors = { ...TWO, idle: little };
  const beside = (busy: Environments['busy']) => needsAnother({ busy, idle: 0, starting: 0 }, busyProcessors);
  expect([beside([working(0.5)]), beside([stuck, working(0.5)]), beside([stuck])]).toEqual([false, false, true]);
});

test.each([
  ['60 ms', { idle: half, usualMs: 10 }, 60],
  ['300 ms while the processors are busy', { idle: little, usualMs: 10 }, 300],
  ['five times as long as usual', { idle: half, usualMs: 100 }, 500],
  ['a second when the function usually takes long', { idle: little, usualMs: 3000 }, 1000],
])('an environment that only waits for an endpoint is stuck after %s', (_, machine, after) => {
  const stuckAfter = (onlyMs: number) => isStuck({ share: 1, onlyMs }, false, { ...TWO, ...machine });
  expect([stuckAfter(after - 1), stuckAfter(after)]).toEqual([false, true]);
});

test('an environment remains stuck while it only waits, also when the processors become busy', () => {
  const busyProcessors = { ...TWO, idle: little };
  expect(isStuck({ share: 1, onlyMs: 90 }, true, busyProcessors)).toBe(true);
  expect(isStuck({ share: 0.5, onlyMs: 0 }, true, busyProcessors)).toBe(false);
});

test('adds an environment that can wait once a second at most, none beside one that is idle or starts, and none while the processors are busy', () => {
  const two = { busy: [working(0.1), stuck], idle: 0, starting: 0 };
  expect(mayAdd(two, 1000, TWO)).toBe(true);
  expect(mayAdd(two, 999, TWO)).toBe(false);
  expect(mayAdd({ ...two, starting: 1 }, 1000, TWO)).toBe(false);
  expect(mayAdd({ ...two, idle: 1 }, 1000, TWO)).toBe(false);
  expect(mayAdd(two, 1000, { ...TWO, idle: { ...half, now: 0.1 } })).toBe(false);
  expect(mayAdd(two, 1000, { ...TWO, idle: { ...half, recently: 0.1 } })).toBe(false);
  expect(mayAdd(two, 1000, { ...TWO, most: 2 })).toBe(false);
});
