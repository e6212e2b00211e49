import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { USUAL } from '../lib/concurrency.ts';
import { digits, type Goal, ratioGoal, sectionMarkdown, type Table } from './report.ts';
import { costPerMillion } from './simulation/cost.ts';
import { checkAgainstLocalCloud, LOCAL_SETTING } from './simulation/local-check.ts';
import { type Outcome, type Setting, simulate } from './simulation/model.ts';
import { barPlot, type Group } from './simulation/plot.ts';

// `npm run simulate` writes the generated part of docs/scaling.md and its plot.

const PAGE = fileURLToPath(new URL('../docs/scaling.md', import.meta.url));
const PLOT = fileURLToPath(new URL('../docs/images/scaling-fairness.svg', import.meta.url));
const [BEGIN, END] = ['<!-- npm run simulate: begin -->', '<!-- npm run simulate: end -->'];

const RATES = [10, 1000, 10_000];
/** CPU milliseconds per delivery of the dispatcher, above what bench/results.md measures, and the share of a core that a function of 512 MB has. */
const DISPATCHER_CPU_MS = 3;
const CORE_SHARE = 512 / 1769;
/** Ratio of the provisioned invocations to those that the load needs while no endpoint hangs. */
const HEADROOM = 1.25;
/** Shares of the messages in flight: ten times an Action's fair share, and a tenth of all messages. */
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
  console.error(`Simulating ${eventsPerSecond.toLocaleString('en')} events a second …`);
  const unbounded = { ...base, eventsPerSecond, maxConcurrency: 5000, startConcurrency: 5000 };
  const need = simulate(unbounded).concurrency;
  const provisioned = Math.max(5, Math.ceil(need * HEADROOM));
  const bounded = { ...unbounded, maxConcurrency: provisioned, startConcurrency: provisioned };
  const alone = simulate(bounded);
  const hanging = { ...bounded, hangsFor: 5 };
  const without = simulate(hanging);
  const withIds = simulate({ ...hanging, noisyFrom: NOISY });
  const lenient = simulate({ ...hanging, noisyFrom: NOISY_LENIENT });
  const cold = simulate({ ...bounded, startConcurrency: 5, duration: 900, untilCaughtUp: true });
  const needHanging = simulate({ ...unbounded, hangsFor: 5 }).concurrency;
  const ample = Math.max(5, Math.ceil(needHanging * HEADROOM));
  const withAmple = simulate({ ...hanging, maxConcurrency: ample, startConcurrency: ample });
  const deployed = {
    ...unbounded,
    maxConcurrency: USUAL.dispatcher,
    startConcurrency: USUAL.dispatcher,
  };
  const deployedAlone = simulate(deployed);
  const deployedWithIds = simulate({ ...deployed, hangsFor: 5, noisyFrom: NOISY });
  const deployedLenient = simulate({ ...deployed, hangsFor: 5, noisyFrom: NOISY_LENIENT });
  const name = `${eventsPerSecond.toLocaleString('en')}/s`;
  const row = (scenario: string, outcome: Outcome, atOnce = provisioned, noHang = alone) =>
    rows.push([
      `${name}, ${scenario}`,
      atOnce,
      outcome.p50,
      outcome.p99,
      outcome.p99 / noHang.p99,
      outcome.backlog > eventsPerSecond ? `${digits(outcome.backlog / 1000)} k, growing` : 'no',
    ]);
  row('no endpoint hangs', alone);
  row('one hangs, no group ids', without);
  row('one hangs, group ids', withIds);
  row('the same, lenient SQS', lenient);
  row('one hangs, no group ids, enough invocations', withAmple, ample);
  row('as deployed, no endpoint hangs', deployedAlone, USUAL.dispatcher, deployedAlone);
  row('as deployed, one hangs', deployedWithIds, USUAL.dispatcher, deployedAlone);
  row('the same, lenient SQS', deployedLenient, USUAL.dispatcher, deployedAlone);
  costs.push([
    name,
    need,
    needHanging,
    Math.max(need, needHanging) <= USUAL.dispatcher ? 'is enough' : 'is too small',
    cold.caughtUpAt ?? 'not within 900',
    costPerMillion(alone),
    costPerMillion(withIds),
  ]);
  goals.push(
    ratioGoal(
      `${name}, as deployed: p99 of the other Actions, ratio to no hang`,
      deployedWithIds.p99 / deployedAlone.p99,
      {
        max: 1.2,
      },
    ),
    ratioGoal(`${name}, the same, lenient SQS`, deployedLenient.p99 / deployedAlone.p99, { max: 1.2 }),
    ratioGoal(`${name}, scarce: p99 of the other Actions with group ids, ratio to no hang`, withIds.p99 / alone.p99, {
      max: 1.2,
    }),
  );
  groups.push({
    title: `${name}, ${provisioned} concurrent invocations`,
    bars: [
      { label: 'no endpoint hangs', value: alone.p99, kind: 'alone' },
      { label: 'no group ids', value: without.p99, kind: 'without' },
      { label: 'group ids', value: withIds.p99, kind: 'with' },
      { label: 'enough invocations', value: withAmple.p99, kind: 'with' },
    ],
  });
}
console.error('Sending the same load to the local cloud …');
const checks = await checkAgainstLocalCloud();
const fairness: Table = {
  columns: [
    'Events, scenario',
    'concurrent invocations',
    'p50 s',
    'p99 s',
    'p99, ratio to no hang',
    'backlog of the other Actions',
  ],
  rows,
};
const capacity: Table = {
  columns: [
    'Events',
    'concurrent invocations, no endpoint hangs',
    'one hangs',
    `the default of ${USUAL.dispatcher}`,
    's to process the backlog of a cold start',
    '$ per million events',
    'one hangs',
  ],
  rows: costs,
};
const check: Table = {
  columns: [
    `One of ${LOCAL_SETTING.actions} takes ${LOCAL_SETTING.hangsFor} s and fails, ${LOCAL_SETTING.maxConcurrency} concurrent invocations`,
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
    method: `One Action of a thousand hangs for 5 s on each attempt. The others answer within 100 ms. As deployed, the dispatcher has ${USUAL.dispatcher} concurrent
invocations and messages have group ids. The other scenarios show the effect of group ids alone. In the "scarce" scenarios the dispatcher has
${HEADROOM} times the invocations that the load needs while no endpoint hangs. In "enough invocations" it has ${HEADROOM} times those that the load needs
while one hangs. The model treats a group as noisy from ${NOISY * 100} % of the messages in flight on, or with "lenient SQS" from ${NOISY_LENIENT * 100} % on. Times run from the
deliveries queue to the endpoint's answer, for the Actions that do not hang.`,
    tables: [fairness],
    goals,
  }),
  sectionMarkdown({
    title: 'Concurrency and cost',
    method:
      'The concurrent invocations that the dispatcher needs (99th percentile over time), and the cost with the prices and counts of [costs](costs.md).',
    tables: [capacity],
  }),
  sectionMarkdown({
    title: 'The model against the local cloud',
    method: `Both get the same load for ${LOCAL_SETTING.duration} s. The times of the local cloud start before PutEvents and include the event-router.`,
    tables: [check],
  }),
].join('\n\n');
const page = readFileSync(PAGE, 'utf8');
const [before, after] = [page.split(BEGIN)[0], page.split(END)[1]];
writeFileSync(PAGE, `${before}${BEGIN}\n\n${generated}\n\n${END}${after}`);
writeFileSync(PLOT, barPlot('p99 of the Actions that do not hang while one of a thousand hangs', 's', groups));
console.log(generated);
