import { together } from '../../src/adapters/together.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers each question by itself. A question that begins with `bad` fails, and one that begins with `slow` is never answered. */
function answered(options: Parameters<typeof together<string, string>>[1] = {}) {
  const calls: (readonly string[])[] = [];
  const ask = together((questions: readonly string[]) => {
    calls.push(questions);
    return questions.map(async (question) => {
      if (question.startsWith('bad')) throw new Error(`${question} failed`);
      if (question.startsWith('slow')) return new Promise<string>(() => {});
      return `of ${question}`;
    });
  }, options);
  return { calls, ask };
}

test('the questions of one turn of the event loop are one call, and equal ones share an answer', async () => {
  const { calls, ask } = answered();
  expect(await Promise.all(['a', 'b', 'a', '__proto__'].map(ask))).toEqual(['of a', 'of b', 'of a', 'of __proto__']);
  expect(calls).toEqual([['a', 'b', '__proto__']]);
});

test('questions are equal when they have the same name', async () => {
  const { calls, ask } = answered({ nameOf: (question) => question.toLowerCase() });
  expect(await Promise.all([ask('a'), ask('A')])).toEqual(['of a', 'of a']);
  expect(calls).toEqual([['a']]);
});

test('a question that fails or is slow affects no other one', async () => {
  const { calls, ask } = answered();
  const slow = ask('slow');
  const [bad, good] = await Promise.allSettled([ask('bad'), ask('good')]);
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'bad failed' } });
  expect(good).toEqual({ status: 'fulfilled', value: 'of good' });
  // A question of a later turn does not wait for the slow one either.
  expect(await ask('next')).toBe('of next');
  expect(calls).toEqual([['slow', 'bad', 'good'], ['next']]);
  expect(await Promise.race([slow, turn().then(() => 'still open')])).toBe('still open');
});

test('a call has a limited number of questions, and each call fails alone', async () => {
  const calls: number[] = [];
  const ask = together(
    (questions: readonly number[]) => {
      calls.push(questions.length);
      if (questions.includes(0)) throw new Error('not written');
      return questions.map(async (question) => question);
    },
    { atMost: 2 },
  );
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map(ask));
  expect(calls).toEqual([2, 2, 1]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});

test('every caller is settled when the call throws or leaves out an answer, and later calls are made', async () => {
  let answers: (questions: readonly string[]) => readonly Promise<string>[] = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  const ask = together((questions: readonly string[]) => answers(questions));
  const thrown = await Promise.allSettled([ask('a'), ask('b'), ask('a')]);
  expect(thrown.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  answers = ([first = '']) => [Promise.resolve(first)];
  const [one, two] = await Promise.allSettled([ask('a'), ask('b')]);
  expect(one).toEqual({ status: 'fulfilled', value: 'a' });
  expect(two).toMatchObject({ status: 'rejected', reason: { message: 'A question of a combined call has no answer' } });
});
