import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { DEFECTS, MOST_PER_DEFECT } from './defects.ts';
import { SCENARIOS } from './scenarios.ts';
import { choicesOf, firstViolation, seedsFrom, simplestSteps, violationsIn } from './schedule.ts';

/**
 * Runs schedules of the shipped code with fresh seeds. On a violation, prints its seed, the simplest schedule that has it, and the
 * command that runs the schedule again, and ends with 1.
 */

const USAGE = `npm run test:schedules -- [options]
  --seconds N     runs schedules for so long (default 60, or 600 with --ci)
  --schedules N   runs so many schedules instead
  --seed N        prints the steps of the schedule of this seed
  --scenario NAME runs only ${SCENARIOS.map(({ name }) => name).join(', ')}
  --defects       prints how many schedules each planted defect takes
  --ci            as the nightly workflow: no progress`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    schedules: { type: 'string' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    defects: { type: 'boolean', default: false },
    ci: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
/** Schedules between two looks at the clock. */
const ROUND = 200;
const PROGRESS_MS = 10_000;
// The code throws errors often here, and nobody reads where they come from.
Error.stackTraceLimit = 0;
// The variables of an environment are slow to read, and each batch reads some.
process.env = { ...process.env };

const chosen = SCENARIOS.filter(({ name }) => values.scenario === undefined || values.scenario === name);
if (values.help || chosen.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
if (values.defects) await showDefects();
else if (values.seed === undefined) await search();
else for (const scenario of chosen) await show(scenario, Number(values.seed));

async function show({ name, run }: (typeof SCENARIOS)[number], seed: number) {
  const trace: string[] = [];
  Error.stackTraceLimit = 20;
  const violations = await violationsIn(run, choicesOf(seed), trace);
  console.log(`${name}, seed ${seed}: ${trace.length} steps`);
  console.log(trace.join('\n'));
  if (violations.length > 0) process.exitCode = 1;
}

async function showDefects() {
  for (const [name, run] of DEFECTS) {
    const found = await firstViolation(run, seedsFrom(1, MOST_PER_DEFECT));
    console.log(`| ${name} | ${found?.seed ?? 'not found'} |`);
  }
}

async function search() {
  const began = performance.now();
  const seconds = Number(values.seconds ?? (values.ci ? 600 : 60));
  const first = randomInt(2 ** 31);
  const most = values.schedules === undefined ? Number.POSITIVE_INFINITY : Number(values.schedules);
  const endsAt = values.schedules === undefined ? began + seconds * 1000 : Number.POSITIVE_INFINITY;
  let ran = 0;
  let reportedAt = began;
  while (ran < most && performance.now() < endsAt) {
    for (const { name, run } of chosen) {
      const found = await firstViolation(run, seedsFrom(first + ran, ROUND));
      if (found !== undefined) {
        console.log(`${name}, seed ${found.seed}: ${found.violations.join('; ')}`);
        console.log(`The simplest schedule like it:\n${(await simplestSteps(run, found.seed)).join('\n')}`);
        console.log(`Run it again: npm run test:schedules -- --scenario ${name} --seed ${found.seed}`);
        process.exit(1);
      }
      ran += ROUND;
    }
    if (!values.ci && performance.now() - reportedAt > PROGRESS_MS) {
      reportedAt = performance.now();
      console.log(summary(ran, began));
    }
  }
  console.log(`${summary(ran, began)}, no violation, seeds from ${first}`);
}

function summary(ran: number, began: number): string {
  const { user, system } = process.cpuUsage();
  const seconds = (performance.now() - began) / 1000;
  return `${ran} schedules in ${seconds.toFixed(0)} s, ${((ran * 1e6) / (user + system)).toFixed(0)} a second of one core`;
}
