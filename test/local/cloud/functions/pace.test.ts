import { Pace } from '../../../../local/cloud/functions/pace.ts';

function atPace() {
  const calls = { oldestMs: 0 };
  return { calls, pace: new Pace(calls) };
}

test('admits whole batches while the machine answers in time', () => {
  const { calls, pace } = atPace();
  calls.oldestMs = 500;
  expect(pace.admit()).toBe(10);
});

test('admits nothing while a call waits too long, and then half as many messages, down to one', () => {
  const { calls, pace } = atPace();
  const admitted = Array.from({ length: 5 }, () => {
    calls.oldestMs = 501;
    expect([pace.admit(), pace.admit()]).toEqual([0, 0]);
    calls.oldestMs = 0;
    return pace.admit();
  });
  expect(admitted).toEqual([5, 2, 1, 1, 1]);
});

test('admits one more message after each batch, unless a call still waits too long', () => {
  const { calls, pace } = atPace();
  calls.oldestMs = 501;
  pace.admit();
  pace.ended();
  calls.oldestMs = 0;
  expect(pace.admit()).toBe(5);
  const admitted = Array.from({ length: 7 }, () => {
    pace.ended();
    return pace.admit();
  });
  expect(admitted).toEqual([6, 7, 8, 9, 10, 10, 10]);
});
