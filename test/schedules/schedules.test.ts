import { DEFECTS, MOST_PER_DEFECT } from './defects.ts';
import { SCENARIOS } from './scenarios.ts';
import { firstViolation, seedsFrom, simplestSteps } from './schedule.ts';

/** `npm run test:schedules` runs many more, with fresh seeds. */
const FIXED = 200;

test.each(SCENARIOS)(
  'nothing that must not happen does, whatever the order and the faults: $name',
  async ({ name, run }) => {
    const found = await firstViolation(run, seedsFrom(1, FIXED));
    if (found === undefined) return;
    const steps = await simplestSteps(run, found.seed);
    const again = `npm run test:schedules -- --scenario ${name} --seed ${found.seed}`;
    throw new Error([...found.violations, ...steps, again].join('\n'));
  },
);

test.each(DEFECTS)('the schedules find a defect: %s', async (_, run) => {
  const found = await firstViolation(run, seedsFrom(1, MOST_PER_DEFECT));
  expect(found?.violations.length).toBeGreaterThan(0);
});

test('a seed makes the same schedule each time, and a violation is shown by few steps', async () => {
  const [, run] = DEFECTS.find(([name]) => name === 'a retry is a second too early') ?? [];
  if (run === undefined) throw new Error('There is no such defect');
  const found = await firstViolation(run, seedsFrom(1, MOST_PER_DEFECT));
  const steps = await simplestSteps(run, found?.seed ?? 0);
  expect(steps.at(-1)).toMatch('VIOLATION: ');
  expect(await simplestSteps(run, found?.seed ?? 0)).toEqual(steps);
  expect(steps.length).toBeLessThan(60);
});
