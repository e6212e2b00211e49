import { recoveryReport, recoveryTimes } from './recovery.ts';

const event = (putAt: number, arrivedAt?: number) => ({ putAt, arrivedAt });
const kill = (victim: string, at: number) => ({ victim, at });

test('a kill lasts until the last event of before has arrived; those that had arrived, and later ones, do not count', () => {
  const events = [event(0, 50), event(90, 400), event(95, 300), event(150, 900)];
  expect(recoveryTimes([kill('router', 100)], events)).toEqual([300]);
});

test('a kill that kept nothing waiting lasts no time, and one that lost an event never ends', () => {
  const events = [event(0, 50), event(200)];
  expect(recoveryTimes([kill('router', 100), kill('router', 250)], events)).toEqual([0, undefined]);
});

test('the report names each kill by its victim', () => {
  const kills = [kill('router', 1), kill('dispatcher', 2), kill('router', 3)];
  expect(
    recoveryReport(kills, [100, undefined, 2300]),
  ).toBe(`Recovery times: until every event that was waiting at a kill had arrived
router: median 2.3 s, longest 2.3 s; each in seconds:
0.1 2.3
dispatcher: median never s, longest never s; each in seconds:
never`);
});
