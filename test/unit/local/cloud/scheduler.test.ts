import { join } from 'node:path';
import { intervalOf, schedule } from '../../../../local/cloud/services/event-bridge.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const folder = temporaryFolder();

/** Returns a function that tells how often a rule of every hour has fired at a time. Each call continues after a restart. */
function everyHour(name: string) {
  let fired = 0;
  const properties = {
    State: 'ENABLED' as const,
    EventBusName: 'default',
    ScheduleExpression: 'rate(1 hour)',
    Targets: [],
  };
  const rule = { logicalId: 'Rule', ref: 'rule', arn: 'arn:rule', properties };
  return (hours: number): number => {
    const deliver = () => {
      fired += 1;
      return undefined;
    };
    schedule([rule], deliver, join(folder, name))(hours * HOUR_MS);
    return fired;
  };
}

test('a schedule fires one interval after its first start, once however late, and goes on after a restart', () => {
  const firedAt = everyHour('late.json');
  expect([0, 0.9, 1, 1.9, 7, 7.5, 8].map(firedAt)).toEqual([0, 0, 1, 1, 2, 2, 3]);
});

test('a schedule goes on after a clock that was ahead', () => {
  const firedAt = everyHour('ahead.json');
  expect([10_000, 10_001, 5, 5.9, 6].map(firedAt)).toEqual([0, 1, 1, 1, 2]);
});

test('accepts rates as schedules, and refuses other expressions', () => {
  expect(['rate(1 minute)', 'rate(2 hours)', 'rate(7 days)'].map(intervalOf)).toEqual([60_000, 7_200_000, 604_800_000]);
  for (const other of ['cron(0 12 * * ? *)', 'rate(0 days)', 'rate(1 week)']) {
    expect(() => intervalOf(other)).toThrow('does not know the schedule');
  }
});
