import { CallsUnderWay } from '../../../local/cloud/access/calls-under-way.ts';

function atTime() {
  let now = 1000;
  const all = new CallsUnderWay(undefined, () => now);
  const calls = new CallsUnderWay(all, () => now);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { all, calls, pass };
}

test('time during which several calls are in progress counts once', () => {
  const { calls, pass } = atTime();
  pass(5);
  const endFirst = calls.begin();
  pass(10);
  const endSecond = calls.begin();
  pass(10);
  endFirst();
  pass(10);
  expect(calls.waitedMs).toBe(30);
  endSecond();
  pass(100);
  expect(calls.waitedMs).toBe(30);
});

test('the oldest unanswered call determines how long the gateway has kept a caller waiting', () => {
  const { calls, pass } = atTime();
  expect(calls.oldestMs).toBe(0);
  const endFirst = calls.begin();
  pass(10);
  calls.begin();
  pass(10);
  expect(calls.oldestMs).toBe(20);
  endFirst();
  expect(calls.oldestMs).toBe(10);
});

test('calls of one environment count among all calls, and a second end changes nothing', () => {
  const { all, calls, pass } = atTime();
  const other = all.begin();
  pass(3);
  const end = calls.begin();
  pass(4);
  end();
  end();
  expect([calls.oldestMs, all.oldestMs]).toEqual([0, 7]);
  other();
  expect(all.oldestMs).toBe(0);
});
