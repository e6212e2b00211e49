import { fairTurns } from '../../../src/adapters/sqs/deliveries-queue.ts';

test('the owner with the fewest running tasks is next, and the limit is never exceeded', async () => {
  const inTurn = fairTurns<object>(2);
  const [busy, quiet] = [{}, {}];
  const begun: string[] = [];
  let underWay = 0;
  const work = (name: string) => async () => {
    underWay += 1;
    expect(underWay).toBeLessThanOrEqual(2);
    begun.push(name);
    await new Promise(setImmediate);
    underWay -= 1;
  };
  const all = ['b1', 'b2', 'b3', 'b4', 'b5'].map((name) => inTurn(busy, work(name)));
  const last = inTurn(quiet, work('quiet'));
  await Promise.all([...all, last]);
  expect(begun).toEqual(['b1', 'b2', 'quiet', 'b3', 'b4', 'b5']);
});

test('a failed task starts the next one', async () => {
  const inTurn = fairTurns<object>(1);
  const failed = inTurn({}, async () => {
    throw new Error('no');
  });
  const next = inTurn({}, async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
