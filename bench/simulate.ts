import { readFileSync, writeFileSync } from 'node:fs';
import { shareConcurrency } from '../lib/concurrency.ts';
import { digits, tableMarkdown, withTables } from './report.ts';
import { type Phase, simulate } from './simulation/model.ts';
import { WHAT_BREAKS_FIRST } from './simulation/published-limits.ts';

// `npm run simulate` writes the tables of docs/scaling.md.

const PAGE = 'docs/scaling.md';
/** Shares of the events that go to the one Action. */
const SHARES = [0.01, 0.1, 0.5];
/** Seconds of the run: the endpoint begins to hang when the backlog of the cold start is gone; after 30 s, queue and pollers have reacted; the run ends. */
const [HANGS_FROM, REACTED, END] = [150, 180, 270];
/** Events per second of the largest load. */
const LARGE = 10_000;
const usualConcurrency = shareConcurrency({}); // Of a deployment without options.
const largeConcurrency = shareConcurrency({ deliveriesPerSecond: LARGE });
/** Returns the latency of the other Actions in seconds, or 'grows' when more of their events wait than arrive in a second. */
const waitOfOthers = ({ p99, backlog }: Phase, rate: number) => (backlog.others > rate ? 'grows' : p99);

const rowsWithHangingEndpoint = [
  { rate: 10, dispatcher: usualConcurrency.dispatcher },
  { rate: 1000, dispatcher: usualConcurrency.dispatcher },
  { rate: LARGE, dispatcher: largeConcurrency.dispatcher },
].flatMap(({ rate, dispatcher }) =>
  SHARES.map((share) => {
    const run = ({ groups }: { readonly groups: boolean }) => {
      const setting = { eventsPerSecond: rate, share, hangsFrom: HANGS_FROM, dispatcher, groups, duration: END };
      const [before, onset, later] = simulate(setting, [HANGS_FROM - 30, HANGS_FROM, REACTED]);
      if (before === undefined || onset === undefined || later === undefined) throw new Error('a phase is missing');
      return { before, onset, later };
    };
    const { before, onset, later } = run({ groups: true });
    return [
      `${rate.toLocaleString('en')}/s, ${share * 100} %`,
      before.p99,
      waitOfOthers(onset, rate),
      waitOfOthers(later, rate),
      waitOfOthers(run({ groups: false }).later, rate),
      `${digits(before.concurrency)} → ${digits(later.concurrency)}`,
      later.backlog.hot > rate ? `${digits(later.backlog.hot / 1000)} k` : 'no',
    ];
  }),
);

const columns = [
  ...['Events, share of the Action', 'before', 'first 30 s', 'then', 'then, without group ids'],
  ...['concurrent invocations', 'its own backlog'],
];
const tables = [...WHAT_BREAKS_FIRST, { columns, rows: rowsWithHangingEndpoint }];
writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), tables));
console.log(tables.map(tableMarkdown).join('\n\n'));
