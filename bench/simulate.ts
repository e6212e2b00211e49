import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shareConcurrency, USUAL } from '../lib/concurrency.ts';
import { PRICES } from '../scripts/costs.ts';
import { withTable } from '../scripts/generated-table.ts';
import { capacityFor, NEW_TABLE } from '../src/contract/capacity.ts';
import { digits, type Table, tableMarkdown } from './report.ts';
import { LOG_KEYS, RATES, WHAT_BREAKS_FIRST } from './simulation/limits.ts';
import { checkAgainstLocalCloud } from './simulation/local-check.ts';
import { type Phase, SERVICE_TIMES, type Setting, simulate } from './simulation/model.ts';
import { PEAK_FACTOR } from './simulation/published.ts';

// `npm run simulate` writes the tables of docs/scaling.md. `npm run simulate -- local` writes the one that needs a quiet machine.

const PAGE = fileURLToPath(new URL('../docs/scaling.md', import.meta.url));

const SHARES = [0.01, 0.1, 0.5];
/** When the endpoint begins to hang: the backlog of the cold start is gone. The next seconds show how soon the queue and the pollers react. */
const [HANGS_FROM, REACTED, END_OF_HANG] = [150, 180, 270];
const COLD_SECONDS = 300;
const GB = 0.5;

type Deployment = Pick<Setting, 'router' | 'dispatcher' | 'pollers'>;
const asDeployed: Deployment = { router: USUAL.router, dispatcher: USUAL.dispatcher };
const deployedFor = (rate: number): Deployment => {
  const { router, dispatcher } = shareConcurrency({
    deliveriesPerSecond: rate,
    accountConcurrency: capacityFor(rate).account,
  });
  return { router, dispatcher };
};

const base = { ...SERVICE_TIMES, logKeys: LOG_KEYS };

const name = (rate: number) => `${rate.toLocaleString('en')}/s`;
const lambdaPerHour = ({ invocations, busy }: Phase) =>
  3600 * (invocations * PRICES.lambdaRequest + busy * GB * PRICES.lambdaGbSecond);
const wait = ({ p99, backlog }: Phase, rate: number) => (backlog.others > rate ? 'grows' : p99);

type Row = readonly (string | number)[];

function hanging(): readonly Row[] {
  const rows: Row[] = [];
  for (const [rate, deployment, options] of [
    [10, asDeployed, ''],
    [1000, asDeployed, ''],
    [10_000, deployedFor(10_000), ', `deliveriesPerSecond=10000`'],
  ] as const) {
    for (const share of SHARES) {
      const title = `${name(rate)}${options}, ${share * 100} %`;
      console.error(`Simulating ${title} …`);
      const setting: Setting = {
        ...base,
        ...deployment,
        eventsPerSecond: rate,
        share,
        hangsFrom: HANGS_FROM,
        duration: END_OF_HANG,
        tableWrites: Math.max(NEW_TABLE.writes, PEAK_FACTOR * capacityFor(rate).logWrites),
      };
      const run = (groups: boolean) => {
        const [, before, onset, then] = simulate({ ...setting, groups }, [0, HANGS_FROM - 30, HANGS_FROM, REACTED]);
        if (before === undefined || onset === undefined || then === undefined) throw new Error('a phase is missing');
        return { before, onset, then };
      };
      const { before, onset, then } = run(true);
      rows.push([
        title,
        before.p99,
        wait(onset, rate),
        wait(then, rate),
        wait(run(false).then, rate),
        `${digits(before.concurrency)} → ${digits(then.concurrency)}`,
        then.batchSeconds / before.batchSeconds,
        `${digits(lambdaPerHour(before))} → ${digits(lambdaPerHour(then))}`,
        then.backlog.hot > rate ? `${digits(then.backlog.hot / 1000)} k` : 'no',
      ]);
    }
  }
  return rows;
}

function coldStarts(): readonly Row[] {
  const rows: Row[] = [];
  for (const [rate, deployment, options, tableWrites] of [
    ...RATES.map((rate) => [rate, asDeployed, '', NEW_TABLE.writes] as const),
    [10_000, deployedFor(10_000), ', `deliveriesPerSecond=10000`', NEW_TABLE.writes],
    [10_000, deployedFor(10_000), ', and `warmTables`', capacityFor(10_000).logWrites],
    [
      10_000,
      { ...deployedFor(10_000), pollers: capacityFor(10_000).pollers },
      ', and `provisionedPollers`',
      capacityFor(10_000).logWrites,
    ],
  ] as const) {
    console.error(`Simulating the start at ${name(rate)}${options} …`);
    const [phase] = simulate(
      { ...base, ...deployment, eventsPerSecond: rate, share: 0, tableWrites, duration: COLD_SECONDS },
      [0],
    );
    if (phase === undefined) throw new Error('a phase is missing');
    rows.push([
      `${name(rate)}${options}`,
      phase.caughtUpAt ?? `not within ${COLD_SECONDS}`,
      (100 * phase.throttled) / (rate * COLD_SECONDS),
      wait(phase, rate),
    ]);
  }
  return rows;
}

const modelled = (): readonly Table[] => [
  ...WHAT_BREAKS_FIRST,
  {
    columns: [
      'Events, share of the Action',
      'before',
      'first 30 s',
      'then',
      'then, without group ids',
      'concurrent invocations',
      'duration of an invocation, ratio',
      '$ per hour',
      'its own backlog',
    ],
    rows: hanging(),
  },
  {
    columns: ['Events', 's until no message waits', 'throttles of DynamoDB per 100 events', 'p99 s'],
    rows: coldStarts(),
  },
];

const tables = (process.argv[2] === 'local' ? [await checkAgainstLocalCloud()] : modelled()).map(tableMarkdown);
writeFileSync(PAGE, tables.reduce(withTable, readFileSync(PAGE, 'utf8')));
console.log(tables.join('\n\n'));
