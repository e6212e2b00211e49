import { IdleEnvironments } from '../../../../local/cloud/functions/idle-environments.ts';

const used = (invocations: number, dead = false) => ({ invocations, dead });

function idle(...environments: readonly ReturnType<typeof used>[]) {
  const all = new IdleEnvironments<ReturnType<typeof used>>();
  for (const [at, environment] of environments.entries()) all.add(environment, at);
  return all;
}

test('gives out the environment with the most invocations first, and the last one of several with as many', () => {
  const [first, second] = [used(3), used(3)];
  const all = idle(used(1), first, second, used(0));
  expect([all.takeFastest(), all.takeFastest()]).toEqual([second, first]);
  expect([all.takeFastest(), all.takeFastest(), all.takeFastest()]).toEqual([used(1), used(0), undefined]);
});

test('exchanges an environment for the one with the fewest invocations, which may be itself', () => {
  const all = idle(used(5), used(1));
  expect(all.exchangeForSlowest(used(3), 9)).toEqual(used(1));
  expect(all.exchangeForSlowest(used(2), 9)).toEqual(used(2));
  expect(all.size).toBe(2);
  expect(idle().exchangeForSlowest(used(2), 9)).toEqual(used(2));
});

test('gives out no environment that has ended', () => {
  const all = idle(used(2), used(3, true), used(0, true));
  expect(all.exchangeForSlowest(used(1), 9)).toEqual(used(1));
  expect([all.takeFastest(), all.takeFastest()]).toEqual([used(2), undefined]);
  expect(idle(used(3, true), used(4, true)).takeFastest()).toBeUndefined();
});

test('gives back the environments that have been idle for a time, and says when the next one will have been', () => {
  const all = idle(used(4), used(9), used(1));
  expect(all.nextIn(10, 5)).toBe(5);
  expect(all.takeOlderThan(10, 11)).toEqual([used(4), used(9)]);
  expect([all.size, all.nextIn(10, 11), all.nextIn(10, 20)]).toEqual([1, 1, 0]);
  expect(all.takeOlderThan(0, 11)).toEqual([used(1)]);
  expect(all.nextIn(10, 11)).toBeUndefined();
});
