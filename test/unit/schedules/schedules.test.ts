import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { World } from '../../fakes/world.ts';
import { DEFECTS, MOST_PER_DEFECT } from './defects.ts';
import { BEHAVIOURS, Deliveries } from './deliveries.ts';
import { SCENARIOS } from './scenarios.ts';
import { firstViolation, seedsFrom, simplestSteps } from './schedule.ts';

/** `npm run test:schedules` runs many more, with fresh seeds. */
const FIXED = 60;

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

/** The first schedules that find what few find. After a change of the order of calls, the search goes on from there. */
const RARE: Readonly<Record<string, number>> = {
  'an Action that is switched off ends the attempt in progress': 7137,
  'an Action is created in an assistant that is being deleted': 1065,
  'the submissions of each clock minute are counted': 600,
  'what no topic accepts counts as accepted': 390,
  'a retry that cannot be queued is forgotten': 348,
  'an assistant is created in an organization that is being deleted': 257,
  'a rotation overwrites what it has not read': 2914,
};

test.each(DEFECTS)('the schedules find a defect: %s', async (name, run) => {
  const found = await firstViolation(run, seedsFrom(RARE[name] ?? 1, MOST_PER_DEFECT));
  expect(found?.violations.length).toBeGreaterThan(0);
});

/** What is kept of each event takes more. The heap also grows a little by what the engine learns of the code. */
const LEAK_BYTES = 400;

test('the memory of a process does not grow with the number of events', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  let answers = 0;
  // The endpoint fails every second time. Nothing else goes wrong.
  const world = new World((options) => (options === BEHAVIOURS.length ? 1 : options === 2 ? answers++ % 2 : 0));
  const [inRound, rounds] = [20, 60];
  const heaps: number[] = [];
  for await (const _ of new Deliveries(world, {}).rounds(inRound)) {
    if (heaps.length % rounds === 0 || heaps.length === rounds / 3) collectGarbage();
    if (heaps.push(process.memoryUsage().heapUsed) > rounds) break;
  }
  expect(world.violations).toEqual([]);
  const grown = (heaps[rounds] ?? 0) - (heaps[rounds / 3] ?? 0);
  expect(grown / (inRound * (rounds - rounds / 3))).toBeLessThan(LEAK_BYTES);
});
