import { nextMessages, noisyGroups } from '../../../../../local/cloud/engines/message-groups.ts';

const messages = (groups: string) => [...groups].map((group) => (group === '-' ? {} : { messageGroupId: group }));
const noisyOf = (inFlight: string) => [...noisyGroups(messages(inFlight))];

test.each([
  ['29 messages, although they are all', 'a'.repeat(29), []],
  ['30 messages', 'a'.repeat(30), [['a', 30]]],
  ['a tenth of all', 'a'.repeat(30) + '-'.repeat(270), []],
  ['more than a tenth of all', 'a'.repeat(30) + '-'.repeat(269), [['a', 30]]],
  ['messages without a group', '-'.repeat(100), []],
])(
  'a group is noisy with at least 30 messages in flight that are more than a tenth of all: %s',
  (_, inFlight, noisy) => {
    expect(noisyOf(inFlight)).toEqual(noisy);
  },
);

const next = (waiting: string, noisy: Readonly<Record<string, number>>, max = 10, quietOnly = false) =>
  nextMessages(messages(waiting), new Map(Object.entries(noisy)), max, quietOnly);

test('messages of quiet groups are next, in their order, and those without a group are quiet', () => {
  expect(next('abca-b', {})).toEqual([0, 1, 2, 3, 4, 5]);
  expect(next('abca-b', { a: 30 })).toEqual([1, 2, 4, 5]);
  expect(next('abca-b', { a: 30 }, 2)).toEqual([1, 2]);
});

test('without a quiet one, the messages of the noisy group with the fewest messages in flight are next', () => {
  expect(next('abab', { a: 40, b: 30 })).toEqual([1, 3]);
  expect(next('aaa', { a: 40 }, 2)).toEqual([0, 1]);
});

test('a place for quiet groups takes no message of a noisy one', () => {
  expect(next('aa', { a: 30 }, 10, true)).toEqual([]);
  expect(next('ab', { a: 30 }, 10, true)).toEqual([1]);
});

test('nothing waits', () => {
  expect(next('', { a: 30 })).toEqual([]);
});
