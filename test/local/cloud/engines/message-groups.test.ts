import {
  type Groups,
  GroupWatch,
  type InFlight,
  nextMessages,
} from '../../../../local/cloud/engines/message-groups.ts';

const NOW = 10_000;
const messages = (groups: string) => [...groups].map((group) => (group === '-' ? {} : { messageGroupId: group }));
const inFlight = (groups: string, batch: number, sinceMs: number): readonly InFlight[] =>
  messages(groups).map((message) => ({ ...message, batch, deliveredMs: NOW - sinceMs }));

test('a group is noisy when ten of its messages are in flight, and messages without a group are never noisy', () => {
  const noisy = (...groups: string[]) =>
    new GroupWatch().look(
      groups.flatMap((each, batch) => inFlight(each, batch, 1)),
      NOW,
    ).noisy;
  expect(noisy()).toEqual(new Set());
  expect(noisy('a'.repeat(9))).toEqual(new Set());
  expect(noisy('a'.repeat(9), 'b'.repeat(9), '-'.repeat(30), 'a')).toEqual(new Set(['a']));
});

test('a group is slow when one of its messages has been in flight for half a second, and its own batches are counted', () => {
  const { slow } = new GroupWatch().look(
    [
      ...inFlight('ab', 1, 500),
      ...inFlight('aa', 2, 1),
      ...inFlight('cc-', 3, 499),
      ...inFlight('a', 4, 900),
      ...inFlight('-', 5, 900),
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
  expect(watch.look(inFlight('a', 1, 500), NOW).slow).toEqual(new Map([['a', 1]]));
  expect(after(4999)).toEqual(new Map([['a', 0]]));
  expect(after(5000)).toEqual(new Map());
  expect(after(5001)).toEqual(new Map());
});

const groups = (noisy: string, slow: Readonly<Record<string, number>> = {}): Groups => ({
  noisy: new Set(noisy),
  slow: new Map(Object.entries(slow)),
});

test.each<[waiting: string, noisy: string, max: number, next: number[]]>([
  ['', '', 10, []],
  ['abc', '', 10, [0, 1, 2]],
  ['abc', '', 2, [0, 1]],
  ['aaab-c', 'a', 10, [3, 4, 5]],
  ['aaabbb', 'a', 2, [3, 4]],
  ['aaa', 'a', 2, [0, 1]],
  ['abab', 'ab', 3, [0, 1, 2]],
])('from the waiting groups %j with %j noisy and a maximum of %i, delivers %j', (waiting, noisy, max, next) => {
  expect(nextMessages(messages(waiting), groups(noisy), max, false)).toEqual(next);
});

test.each<[waiting: string, slow: Readonly<Record<string, number>>, next: number[]]>([
  ['aab-', { a: 1 }, [2, 3]],
  ['aa', { a: 2 }, [0, 1]],
  ['abab', { a: 1, b: 1 }, [0, 2]],
  ['aa', { a: 3 }, []],
  ['abab', { a: 3, b: 2 }, [1, 3]],
])('from the waiting groups %j with the batches %j of slow groups, delivers %j', (waiting, slow, next) => {
  expect(nextMessages(messages(waiting), groups('', slow), 10, false)).toEqual(next);
});

test('messages of a noisy group and of a slow group are not mixed', () => {
  expect(nextMessages(messages('abab'), groups('a', { b: 1 }), 10, false)).toEqual([0, 2]);
  expect(nextMessages(messages('baba'), groups('ab', { b: 1 }), 10, false)).toEqual([0, 2]);
});

test('a receiver that asks only for quiet groups gets no message of a noisy or slow group', () => {
  expect(nextMessages(messages('aaa'), groups('a'), 10, true)).toEqual([]);
  expect(nextMessages(messages('abc'), groups('a', { b: 1 }), 10, true)).toEqual([2]);
});
