import { intervalOf } from '../../../local/cloud/events/scheduler.ts';

test('accepts rates as schedules, and refuses other expressions', () => {
  expect(['rate(1 minute)', 'rate(2 hours)', 'rate(7 days)'].map(intervalOf)).toEqual([60_000, 7_200_000, 604_800_000]);
  for (const other of ['cron(0 12 * * ? *)', 'rate(0 days)', 'rate(1 week)']) {
    expect(() => intervalOf(other)).toThrow('does not know the schedule');
  }
});
