import { nextMessages, noisyGroups } from '../../../../local/cloud/engines/message-groups.ts';

const messages = (groups: string) => [...groups].map((group) => (group === '-' ? {} : { messageGroupId: group }));
const times = (count: number, group: string) => messages(group.repeat(count));

test('a group is noisy when ten of its messages are in flight, and messages without a group are never noisy', () => {
  expect(noisyGroups([])).toEqual(new Set());
  expect(noisyGroups(times(9, 'a'))).toEqual(new Set());
  expect(noisyGroups([...times(10, 'a'), ...times(9, 'b'), ...times(30, '-')])).toEqual(new Set(['a']));
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
  expect(nextMessages(messages(waiting), new Set(noisy), max, false)).toEqual(next);
});

test('a receiver that asks only for quiet groups gets no message of a noisy group', () => {
  expect(nextMessages(messages('aaa'), new Set('a'), 10, true)).toEqual([]);
  expect(nextMessages(messages('aab'), new Set('a'), 10, true)).toEqual([2]);
});
