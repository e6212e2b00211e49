import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { USUAL } from '../lib/concurrency.ts';
import { digits, type Goal, ratioGoal, sectionMarkdown, type Table } from './report.ts';
import { costPerMillion } from './simulation/cost.ts';
import { checkAgainstLocalCloud, LOCAL_SETTING } from './simulation/local-check.ts';
import { type Outcome, type Setting, simulate } from './simulation/model.ts';
import { barPlot, type Group } from './simulation/plot.ts';

/** `npm run simulate`: fills the generated part of docs/scaling.md and draws its plot. */

const PAGE = fileURLToPath(new URL('../docs/scaling.md', import.meta.url));
const PLOT = fileURLToPath(new URL('../docs/images/scaling-fairness.svg', import.meta.url));
const [BEGIN, END] = ['<!-- npm run simulate: begin -->', '<!-- npm run simulate: end -->'];

const RATES = [10, 1000, 10_000];
/** CPU milliseconds per delivery of the dispatcher (bench/results.md), and the share of a core that 512 MB have. */
const DISPATCHER_CPU_MS = 3;
const CORE_SHARE = 512 / 1769;
/** What is provisioned over what the load needs while all is well. */
const HEADROOM = 1.25;
/** Shares of what is in flight: ten times an Action's fair share, and a tenth of everything. */
const [NOISY, NOISY_LENIENT] = [0.01, 0.1];

const base: Omit<Setting, 'eventsPerSecond' | 'maxConcurrency' | 'startConcurrency'> = {
  actions: 1000,
  hangsFor: 0,
  answersAfter: 0.1,
  workPerMessage: DISPATCHER_CPU_MS / 1000 / CORE_SHARE,
  duration: 150,
  measureFrom: 30,
};

const rows: (readonly (string | number)[])[] = [];
const costs: (readonly (string | number)[])[] = [];
const goals: Goal[] = [];
const groups: Group[] = [];
for (const eventsPerSecond of RATES) {
  const unbounded = { ...base, eventsPerSecond, maxConcurrency: 5000, startConcurrency: 5000 };
  const need = simulate(unbounded).concurrency;
  const provisioned = Math.max(5, Math.ceil(need * HEADROOM));
  const bounded = { ...unbounded, maxConcurrency: provisioned, startConcurrency: provisioned };
  const alone = simulate(bounded);
  const hanging = { ...bounded, hangsFor: 5 };
  const without = simulate(hanging);
  const withIds = simulate({ ...hanging, noisyFrom: NOISY });
  const lenient = simulate({ ...hanging, noisyFrom: NOISY_LENIENT });
  const cold = simulate({ ...bounded, startConcurrency: 5, duration: 900 });
  const needHanging = simulate({ ...unbounded, hangsFor: 5 }).concurrency;
  const ample = Math.max(5, Math.ceil(needHanging * HEADROOM));
  const withRoom = simulate({ ...hanging, maxConcurrency: ample, startConcurrency: ample });
  const deployed = {
    ...unbounded,
    maxConcurrency: USUAL.dispatcher,
    startConcurrency: USUAL.dispatcher,
  };
  const deployedAlone = simulate(deployed);
  const deployedWithIds = simulate({ ...deployed, hangsFor: 5, noisyFrom: NOISY });
  const deployedLenient = simulate({ ...deployed, hangsFor: 5, noisyFrom: NOISY_LENIENT });
  const name = `${eventsPerSecond.toLocaleString('en')}/s`;
  const row = (scenario: string, outcome: Outcome, atOnce = provisioned, allWell = alone) =>
    rows.push([
      `${name}, ${scenario}`,
      atOnce,
      outcome.p50,
      outcome.p99,
      outcome.p99 / allWell.p99,
      outcome.backlog > eventsPerSecond ? `${digits(outcome.backlog / 1000)} k, growing` : 'no',
    ]);
  row('all well', alone);
  row('one hangs, no group ids', without);
  row('one hangs, group ids', withIds);
  row('the same, SQS lenient', lenient);
  row('one hangs, no group ids, room for it', withRoom, ample);
  row('as deployed, all well', deployedAlone, USUAL.dispatcher, deployedAlone);
  row('as deployed, one hangs', deployedWithIds, USUAL.dispatcher, deployedAlone);
  row('the same, SQS lenient', deployedLenient, USUAL.dispatcher, deployedAlone);
  costs.push([
    name,
    need,
    needHanging,
    Math.max(need, needHanging) <= USUAL.dispatcher ? 'enough' : 'too few',
    cold.caughtUpAt ?? 'not within 900',
    costPerMillion(alone),
    costPerMillion(withIds),
  ]);
  goals.push(
    ratioGoal(`${name}, as deployed: p99 of the others, by alone`, deployedWithIds.p99 / deployedAlone.p99, {
      max: 1.2,
    }),
    ratioGoal(`${name}, the same, SQS lenient`, deployedLenient.p99 / deployedAlone.p99, { max: 1.2 }),
    ratioGoal(`${name}, scarce: p99 of the others with group ids, by alone`, withIds.p99 / alone.p99, { max: 1.2 }),
  );
  groups.push({
    title: `${name}, ${provisioned} at once`,
    bars: [
      { label: 'all well', value: alone.p99, kind: 'alone' },
      { label: 'no group ids', value: without.p99, kind: 'without' },
      { label: 'group ids', value: withIds.p99, kind: 'with' },
      { label: 'room for it', value: withRoom.p99, kind: 'with' },
    ],
  });
}
const checks = await checkAgainstLocalCloud();
const fairness: Table = {
  columns: ['Events, scenario', 'invocations at once', 'p50 s', 'p99 s', 'p99 by all well', 'backlog of the others'],
  rows,
};
const capacity: Table = {
  columns: [
    'Events',
    'invocations at once, all well',
    'one hangs',
    `the default ${USUAL.dispatcher} are`,
    'caught up from cold, s',
    '$ per million events',
    'one hangs',
  ],
  rows: costs,
};
const check: Table = {
  columns: [
    `One of ${LOCAL_SETTING.actions} takes a second and fails, ${LOCAL_SETTING.maxConcurrency} at once`,
    'model, p50 s',
    'p90 s',
    'local cloud, p50 s',
    'p90 s',
  ],
  rows: checks.map(({ eventsPerSecond, model, local }) => [
    `${eventsPerSecond}/s`,
    model.p50,
    model.p90,
    local.p50,
    local.p90,
  ]),
};

const generated = [
  sectionMarkdown({
    title: 'Fairness',
    method: `One Action of a thousand hangs for 5 s on every attempt, the others answer in 100 ms. As deployed, ${USUAL.dispatcher} invocations may run at once
and messages have group ids. The other scenarios ("scarce") give it ${HEADROOM} times what the load needs while all is well, or ("room for it")
while one hangs, to show what group ids alone are worth. SQS calls a group noisy from ${NOISY * 100} % of what is in
flight on, or ("lenient") from ${NOISY_LENIENT * 100} % on. Time from the deliveries queue to the endpoint's answer, of the Actions that do not hang.`,
    tables: [fairness],
    goals,
  }),
  sectionMarkdown({
    title: 'Concurrency and cost',
    method:
      'What the dispatcher needs (99th percentile over time), and list prices of bus, queues, functions and DynamoDB.',
    tables: [capacity],
  }),
  sectionMarkdown({
    title: 'The model against the local cloud',
    method: `The same load for ${LOCAL_SETTING.duration} s in both; the local cloud's part is from before PutEvents and has the router in it.`,
    tables: [check],
  }),
].join('\n\n');
const page = readFileSync(PAGE, 'utf8');
const [before, after] = [page.split(BEGIN)[0], page.split(END)[1]];
writeFileSync(PAGE, `${before}${BEGIN}\n\n${generated}\n\n${END}${after}`);
writeFileSync(PLOT, barPlot('p99 of the Actions that do not hang, while one of a thousand does', 's', groups));
console.log(generated);
