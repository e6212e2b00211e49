import {
  type Groups,
  GroupWatch,
  type InFlight,
  type NextOptions,
  nextMessages,
} from '../../../../local/cloud/engines/message-groups.ts';

const NOW = 10_000;
const messages = (groups: string) => [...groups].map((group) => (group === '-' ? {} : { messageGroupId: group }));
const inFlight = (groups: string, batch: number, slow = false): readonly InFlight[] =>
  messages(groups).map((message) => ({ ...message, batch, slow }));

test('a group is noisy when ten of its messages are in flight, and messages without a group are never noisy', () => {
  const noisy = (...groups: string[]) =>
    new GroupWatch().look(
      groups.flatMap((each, batch) => inFlight(each, batch)),
      NOW,
    ).noisy;
  expect(noisy()).toEqual(new Set());
  expect(noisy('a'.repeat(9))).toEqual(new Set());
  expect(noisy('a'.repeat(9), 'b'.repeat(9), '-'.repeat(30), 'a')).toEqual(new Set(['a']));
});

test('a group is slow when one of its messages takes long, and its own batches are counted', () => {
  const { slow } = new GroupWatch().look(
    [
      ...inFlight('ab', 1, true),
      ...inFlight('aa', 2),
      ...inFlight('cc-', 3),
      ...inFlight('a', 4, true),
      ...inFlight('-', 5, true),
    ],
    NOW,
  );
  expect(slow).toEqual(
    new Map([
      ['a', 2],
      ['b', 0],
    ]),
  );
});

test('a group remains slow for five seconds after its last slow message', () => {
  const watch = new GroupWatch();
  const after = (milliseconds: number) => watch.look([], NOW + milliseconds).slow;
  expect(watch.look(inFlight('a', 1, true), NOW).slow).toEqual(new Map([['a', 1]]));
  expect(after(4999)).toEqual(new Map([['a', 0]]));
  expect(after(5000)).toEqual(new Map());
  expect(after(5001)).toEqual(new Map());
});

const groups = (noisy: string, slow: Readonly<Record<string, number>> = {}): Groups => ({
  noisy: new Set(noisy),
  slow: new Map(Object.entries(slow)),
});

const next = (waiting: string, found: Groups, max = 10, options: Partial<NextOptions> = {}) =>
  nextMessages(messages(waiting), found, max, { quietOnly: false, maySlow: () => true, ...options });

test.each<[waiting: string, noisy: string, max: number, next: number[]]>([
  ['', '', 10, []],
  ['abc', '', 10, [0, 1, 2]],
  ['abc', '', 2, [0, 1]],
  ['aaab-c', 'a', 10, [3, 4, 5]],
  ['aaabbb', 'a', 2, [3, 4]],
  ['aaa', 'a', 2, [0, 1]],
  ['abab', 'ab', 3, [0, 1, 2]],
])('from the waiting groups %j with %j noisy and a maximum of %i, delivers %j', (waiting, noisy, max, expected) => {
  expect(next(waiting, groups(noisy), max)).toEqual(expected);
});

test.each<[waiting: string, slow: Readonly<Record<string, number>>, next: number[]]>([
  ['aab-', { a: 0 }, [2, 3]],
  ['aa', { a: 0 }, [0, 1]],
  ['aabb', { a: 0, b: 0 }, [0, 1]],
  ['a', { a: 1 }, []],
  ['aaa', { a: 2 }, [0, 1]],
  ['aaaab', { a: 3, b: 0 }, [4]],
  ['aab', { a: 3, b: 1 }, []],
])('from the waiting groups %j with the batches %j of slow groups and a maximum of 2, delivers %j', (...row) => {
  const [waiting, slow, expected] = row;
  expect(next(waiting, groups('', slow), 2)).toEqual(expected);
});

test('messages of a noisy group and of a slow group are not mixed', () => {
  expect(next('abab', groups('a', { b: 0 }))).toEqual([0, 2]);
  expect(next('baba', groups('a', { b: 0 }))).toEqual([0, 2]);
});

test('quiet groups alone leave the messages of noisy and slow groups in the queue', () => {
  expect(next('aaa', groups('a'), 10, { quietOnly: true })).toEqual([]);
  expect(next('abc', groups('a', { b: 0 }), 10, { quietOnly: true })).toEqual([2]);
});

test('only when a slow group is next, the caller decides whether it may be', () => {
  let asked = 0;
  const maySlow = () => {
    asked += 1;
    return false;
  };
  expect(next('abc', groups('a', { b: 0 }), 10, { maySlow })).toEqual([2]);
  expect(next('ab', groups('a', { b: 0 }), 10, { maySlow })).toEqual([0]);
  expect(asked).toBe(0);
  expect(next('bab', groups('a', { b: 0 }), 10, { maySlow })).toEqual([1]);
  expect(next('b', groups('', { b: 0 }), 10, { maySlow })).toEqual([]);
  expect(asked).toBe(2);
});
