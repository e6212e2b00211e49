import { askedTogether } from '../../src/adapters/asked-together.ts';

function counted(answer: (org: string) => Promise<string> = async (org) => `of ${org}`) {
  const calls: string[] = [];
  const ask = askedTogether((org: string, kind: string) => {
    calls.push(`${org} ${kind}`);
    return answer(org);
  });
  return { calls, ask };
}

test('equal calls in one turn of the event loop are combined, others are not', async () => {
  const { calls, ask } = counted();
  const answers = await Promise.all([ask('a', 'x'), ask('b', 'x'), ask('a', 'x'), ask('a', 'y')]);
  expect(answers).toEqual(['of a', 'of b', 'of a', 'of a']);
  expect(calls).toEqual(['a x', 'b x', 'a y']);
});

test('two calls are equal only when all their arguments are equal', async () => {
  const { calls, ask } = counted();
  await Promise.all([ask('a"', 'x'), ask('a', '"x'), ask('a","x', ''), ask('__proto__', 'x')]);
  expect(calls).toHaveLength(4);
});

test('a call after the combined call has begun is a separate call, because the earlier result may be stale', async () => {
  const { calls, ask } = counted();
  const first = ask('a', 'x');
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toHaveLength(1);
  await Promise.all([first, ask('a', 'x')]);
  expect(calls).toHaveLength(2);
});

test('a failed call fails for each caller that shared it, and for no later caller', async () => {
  let away = true;
  const { ask } = counted(async (org) => {
    if (away) throw new Error('away');
    return org;
  });
  const settled = await Promise.allSettled([ask('a', 'x'), ask('a', 'x')]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  away = false;
  expect(await ask('a', 'x')).toBe('a');
});
