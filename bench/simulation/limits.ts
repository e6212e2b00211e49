import { USUAL } from '../../lib/concurrency.ts';
import { COUNTED, ROUTER_MS } from '../../scripts/costs.ts';
import { logPartitions } from '../../src/adapters/dynamodb/log-partitions.ts';
import { NEW_TABLE } from '../../src/contract/capacity.ts';
import { EVENT_ATTEMPTS, OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { USUAL_TABLE_WRITES } from '../../src/domain/operations/examine-account.ts';
import type { Table } from '../report.ts';
import { BATCH, SERVICE_TIMES } from './model.ts';
import { BUS, PARTITION } from './published.ts';

type Limit = {
  readonly what: string;
  /** Events a second at which it is reached, or deliveries a second of the one Action. */
  readonly reachedAt: number;
  /** The file or the test with its count. */
  readonly source: string;
  readonly change: string;
};

const count = (number: number) => number.toLocaleString('en');
const { writes } = COUNTED.attempted(1);
/** The keys over which the records of one Action are spread. */
export const LOG_KEYS = logPartitions('').length;
const COUNTS = '`test/e2e/costs`';
const PUBLISHED = '`bench/simulation/published.ts`';

const FULL_BATCH_SECONDS = BATCH * SERVICE_TIMES.workPerMessage + SERVICE_TIMES.answersAfter;

/** The limits that all organizations share. */
const SHARED: readonly Limit[] = [
  {
    what: `the dispatcher's ${USUAL.dispatcher} invocations, when every endpoint hangs`,
    reachedAt: (USUAL.dispatcher * BATCH) / (FULL_BATCH_SECONDS + OUTBOUND_TIMEOUT_MS / 1000) / EVENT_ATTEMPTS,
    source: '`lib/concurrency.ts`',
    change: '[`deliveryConcurrency`](deploying.md), at most 1 000 for an event source mapping',
  },
  {
    what: `a new delivery log, ${count(NEW_TABLE.writes)} writes a second in the first half hour`,
    reachedAt: NEW_TABLE.writes / writes,
    source: COUNTS,
    change: '[`warmTables`](deploying.md#for-a-known-load)',
  },
  {
    what: `the router's ${USUAL.router} invocations`,
    reachedAt: (USUAL.router * BATCH) / (ROUTER_MS.ten / 1000),
    source: '`lib/concurrency.ts`, `scripts/costs.ts`',
    change: '[`deliveriesPerSecond`](deploying.md#for-a-known-load)',
  },
  {
    what: `a new configuration table, ${count(NEW_TABLE.reads)} reads a second`,
    reachedAt: NEW_TABLE.reads / (COUNTED.routed(1).reads + COUNTED.attempted(1).reads),
    source: COUNTS,
    change: '`warmTables`',
  },
  {
    what: "EventBridge's PutEvents requests",
    reachedAt: BUS.putEvents,
    source: PUBLISHED,
    change: 'ten events per request; a higher quota, and smaller regions begin with a tenth',
  },
  {
    what: "EventBridge's invocations of the rule",
    reachedAt: BUS.invocations,
    source: PUBLISHED,
    change: 'a higher quota',
  },
  {
    what: `a table's quota of ${count(USUAL_TABLE_WRITES)} writes a second`,
    reachedAt: USUAL_TABLE_WRITES / writes,
    source: COUNTS,
    change: 'a higher quota; at this steady rate [provisioned capacity](deploying.md) costs less',
  },
  {
    what: `the dispatcher's ${USUAL.dispatcher} invocations`,
    reachedAt: (USUAL.dispatcher * BATCH) / FULL_BATCH_SECONDS,
    source: '`lib/concurrency.ts`',
    change: '`deliveriesPerSecond`',
  },
];

/** The keys of one Action or its organization. */
const OF_ONE_ACTION: readonly Limit[] = [
  {
    what: 'the counter of its organization, only with an outbound quota',
    reachedAt: PARTITION.writes,
    source: '[keys](quotas.md#one-action)',
    change: 'none: requests above it are sent and not counted',
  },
  {
    what: 'the counter of its failures, when all of them fail',
    reachedAt: PARTITION.writes,
    source: '[keys](quotas.md#one-action)',
    change: 'none: above it only the watch of the endpoint is incomplete',
  },
  {
    what: 'the key of its configuration, with one message per batch and 4 KB',
    reachedAt: PARTITION.reads / (1 + 1 / BATCH),
    source: '[keys](quotas.md#one-action)',
    change: 'none: full batches need a tenth',
  },
  {
    what: `its ${LOG_KEYS} keys of the delivery log`,
    reachedAt: (LOG_KEYS * PARTITION.writes) / writes,
    source: COUNTS,
    change: 'none',
  },
];

/** The loads of docs/scaling.md in events per second, and the share of them that one Action gets here. */
export const RATES = [10, 1000, 10_000];
const SHARE = 0.5;

const used = (part: number): string => {
  const percent = `${part < 0.01 ? '< 1' : Math.round(part * 100)} %`;
  return part > 1 ? `**${percent}**` : percent;
};

const table = (name: string, limits: readonly Limit[], part: number): Table => ({
  columns: [name, 'reached at', ...RATES.map((rate) => `${count(rate * part)}/s`), 'count behind it', 'change'],
  rows: [...limits]
    .sort((one, other) => one.reachedAt - other.reachedAt)
    .map(({ what, reachedAt, source, change }) => [
      what,
      `${count(Math.floor(reachedAt / 10) * 10)}/s`,
      ...RATES.map((rate) => used((rate * part) / reachedAt)),
      source,
      change,
    ]),
});

/** How much of each limit the loads use, for all organizations and for one Action. */
export const WHAT_BREAKS_FIRST: readonly Table[] = [
  table('All organizations, as deployed', SHARED, 1),
  table(`One Action with ${SHARE * 100} % of the events`, OF_ONE_ACTION, SHARE),
];
