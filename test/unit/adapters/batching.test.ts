import fc from 'fast-check';
import { batchesOf, inBatches } from '../../../src/adapters/batching.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers each question by itself. A question that begins with `bad` fails, and one that begins with `slow` is never answered. */
function answered(options: Parameters<typeof inBatches<string, string>>[1] = {}) {
  const calls: (readonly string[])[] = [];
  const ask = inBatches((questions: readonly string[]) => {
    calls.push(questions);
    return questions.map(async (question) => {
      if (question.startsWith('bad')) throw new Error(`${question} failed`);
      if (question.startsWith('slow')) return new Promise<string>(() => {});
      return `of ${question}`;
    });
  }, options);
  return { calls, ask };
}

test('the questions of one turn of the event loop are one call, and those with one name share an answer', async () => {
  const { calls, ask } = answered({ nameOf: (question) => question.toLowerCase() });
  expect(await Promise.all(['a', 'b', 'A', '__proto__'].map(ask))).toEqual(['of a', 'of b', 'of a', 'of __proto__']);
  expect(calls).toEqual([['a', 'b', '__proto__']]);
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
  const ask = inBatches(
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
  const ask = inBatches((questions: readonly string[]) => answers(questions));
  const thrown = await Promise.allSettled([ask('a'), ask('b'), ask('a')]);
  expect(thrown.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  answers = ([first = '']) => [Promise.resolve(first)];
  const [one, two] = await Promise.allSettled([ask('a'), ask('b')]);
  expect(one).toEqual({ status: 'fulfilled', value: 'a' });
  expect(two).toMatchObject({ status: 'rejected', reason: { message: 'A question of a combined call has no answer' } });
});

describe('batches', () => {
  const LIMITS = { entries: 3, bytes: 1000 };
  const lengths = (...sizes: readonly number[]) =>
    batchesOf(
      sizes.map((bytes) => ({ bytes })),
      LIMITS,
    ).map((batch) => batch.length);

  test('are as large as the limits allow', () => {
    expect(lengths()).toEqual([]);
    expect(lengths(1, 1, 1, 1)).toEqual([3, 1]);
    expect(lengths(500, 500, 1)).toEqual([2, 1]);
    expect(lengths(300, 1001, 300, 300)).toEqual([1, 1, 2]);
  });

  test('lose and repeat no entry, keep the order and the limits, and have no key twice', () => {
    const entry = fc.record({ bytes: fc.integer({ min: 1, max: 1100 }), key: fc.constantFrom('a', 'b', 'c', 'd') });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 25 }), (entries) => {
        const batches = batchesOf(entries, LIMITS);
        expect(batches.flat()).toEqual(entries);
        for (const batch of batches) {
          expect(new Set(batch.map(({ key }) => key)).size).toBe(batch.length);
          expect(batch.length).toBeLessThanOrEqual(3);
          const bytes = batch.reduce((sum, one) => sum + one.bytes, 0);
          expect(bytes <= 1000 || batch.length === 1).toBe(true);
        }
      }),
    );
  });
});
