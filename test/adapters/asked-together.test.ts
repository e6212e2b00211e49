import { askedTogether } from '../../src/adapters/asked-together.ts';

function counted(answer: (org: string) => Promise<string> = async (org) => `of ${org}`) {
  const calls: string[] = [];
  const ask = askedTogether((org: string, kind: string) => {
    calls.push(`${org} ${kind}`);
    return answer(org);
  });
  return { calls, ask };
}

test('equal questions of one turn are one call, others their own', async () => {
  const { calls, ask } = counted();
  const answers = await Promise.all([ask('a', 'x'), ask('b', 'x'), ask('a', 'x'), ask('a', 'y')]);
  expect(answers).toEqual(['of a', 'of b', 'of a', 'of a']);
  expect(calls).toEqual(['a x', 'b x', 'a y']);
});

test('two questions are equal only word by word', async () => {
  const { calls, ask } = counted();
  await Promise.all([ask('a"', 'x'), ask('a', '"x'), ask('a","x', ''), ask('__proto__', 'x')]);
  expect(calls).toHaveLength(4);
});

test('a question that is asked after the call has begun makes a separate call, because the earlier answer may be stale', async () => {
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
