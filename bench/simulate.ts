import { readFileSync, writeFileSync } from 'node:fs';
import { shareConcurrency } from '../lib/concurrency.ts';
import { PRICES, withTable } from '../scripts/costs.ts';
import { digits, tableMarkdown } from './report.ts';
import { type Phase, simulate } from './simulation/model.ts';
import { WHAT_BREAKS_FIRST } from './simulation/published-limits.ts';

// `npm run simulate` writes the tables of docs/scaling.md.

const PAGE = 'docs/scaling.md';
/** Shares of the events that go to the one Action. */
const SHARES = [0.01, 0.1, 0.5];
/** When the endpoint begins to hang: the backlog of the cold start is gone. The next seconds show how soon the queue and the pollers react. */
const [HANGS_FROM, REACTED, END] = [150, 180, 270];
/** Memory of the dispatcher in gigabytes. */
const GB = 0.5;
/** Events per second of the largest load. */
const LARGE = 10_000;
const usual = shareConcurrency({});
const prepared = shareConcurrency({ deliveriesPerSecond: LARGE });

/** What Lambda costs per hour in US dollars. */
const perHour = ({ busy }: Phase) => digits(3600 * busy * GB * PRICES.lambdaGbSecond);
/** Returns the latency of the other Actions in seconds, or that it grows: more of their events wait than arrive in a second. */
const wait = ({ p99, backlog }: Phase, rate: number) => (backlog.others > rate ? 'grows' : p99);

const hanging = [
  { rate: 10, dispatcher: usual.dispatcher, options: '' },
  { rate: 1000, dispatcher: usual.dispatcher, options: '' },
  { rate: LARGE, dispatcher: prepared.dispatcher, options: `, \`deliveriesPerSecond=${LARGE}\`` },
].flatMap(({ rate, dispatcher, options }) =>
  SHARES.map((share) => {
    const run = ({ groups }: { readonly groups: boolean }) => {
      const setting = { eventsPerSecond: rate, share, hangsFrom: HANGS_FROM, dispatcher, groups, duration: END };
      const [before, onset, then] = simulate(setting, [HANGS_FROM - 30, HANGS_FROM, REACTED]);
      if (before === undefined || onset === undefined || then === undefined) throw new Error('a phase is missing');
      return { before, onset, then };
    };
    const { before, onset, then } = run({ groups: true });
    return [
      `${rate.toLocaleString('en')}/s${options}, ${share * 100} %`,
      before.p99,
      wait(onset, rate),
      wait(then, rate),
      wait(run({ groups: false }).then, rate),
      `${digits(before.concurrency)} → ${digits(then.concurrency)}`,
      `${perHour(before)} → ${perHour(then)}`,
      then.backlog.hot > rate ? `${digits(then.backlog.hot / 1000)} k` : 'no',
    ];
  }),
);

const columns = [
  ...['Events, share of the Action', 'before', 'first 30 s', 'then', 'then, without group ids'],
  ...['concurrent invocations', '$ per hour', 'its own backlog'],
];
const tables = [...WHAT_BREAKS_FIRST, { columns, rows: hanging }].map(tableMarkdown);
writeFileSync(PAGE, tables.reduce(withTable, readFileSync(PAGE, 'utf8')));
console.log(tables.join('\n\n'));
