import { RecentDurations } from '../../../../local/cloud/functions/recent-durations.ts';

test('the median is that of the last 25 invocations, and few long ones do not change it', () => {
  const durations = new RecentDurations();
  expect(durations.median).toBe(0);
  durations.add(9);
  expect(durations.median).toBe(9);
  for (let count = 0; count < 13; count++) durations.add(20);
  for (let count = 0; count < 12; count++) durations.add(5000);
  expect(durations.median).toBe(20);
  durations.add(5000);
  expect(durations.median).toBe(5000);
});
