import { WaitingCalls } from '../../../local/cloud/gateway/waiting-calls.ts';

test('batches wait while 32 calls wait, and all of them go on when one call ends', async () => {
  const calls = new WaitingCalls();
  const ends = Array.from({ length: 31 }, () => calls.begin());
  await calls.few();
  const last = calls.begin();
  const went: number[] = [];
  const waiting = [1, 2].map((each) => calls.few().then(() => went.push(each)));
  await Promise.resolve();
  expect(went).toEqual([]);
  last();
  await Promise.all(waiting);
  expect(went).toEqual([1, 2]);
  for (const end of ends) end();
});
