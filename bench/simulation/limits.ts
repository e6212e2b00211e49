import { USUAL } from '../../lib/concurrency.ts';
import { COUNTED, ROUTER_MS } from '../../scripts/costs.ts';
import { logPartitions } from '../../src/adapters/dynamodb/log-partitions.ts';
import { NEW_TABLE } from '../../src/contract/capacity.ts';
import { EVENT_ATTEMPTS, OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { USUAL_TABLE_WRITES } from '../../src/domain/operations/examine-account.ts';
import type { Table } from '../report.ts';
import { BATCH } from './model.ts';
import { BUS, PARTITION } from './published.ts';

type Limit = {
  readonly what: string;
  /** Events a second at which it is reached, or deliveries a second of the one Action. */
  readonly reachedAt: number;
  /** The file or the test with its count. */
  readonly source: string;
  readonly change: string;
};

const { writes } = COUNTED.attempted(1);
const KEYS = logPartitions('').spread.length;
const COUNTS = '`test/e2e/costs`';
const PUBLISHED = '`bench/simulation/published.ts`';

/** The limits that all organizations share. @param batchSeconds duration of a full batch of the dispatcher */
const shared = (batchSeconds: number): readonly Limit[] => [
  {
    what: `the dispatcher's ${USUAL.dispatcher} invocations, when every endpoint hangs`,
    reachedAt: (USUAL.dispatcher * BATCH) / (batchSeconds + OUTBOUND_TIMEOUT_MS / 1000) / EVENT_ATTEMPTS,
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
    what: `a table's quota of ${count(USUAL_TABLE_WRITES)} writes a second`,
    reachedAt: USUAL_TABLE_WRITES / writes,
    source: COUNTS,
    change: 'a higher quota; at this steady rate [provisioned capacity](deploying.md) costs less',
  },
  {
    what: `the dispatcher's ${USUAL.dispatcher} invocations`,
    reachedAt: (USUAL.dispatcher * BATCH) / batchSeconds,
    source: '`lib/concurrency.ts`',
    change: '`deliveriesPerSecond`',
  },
];

/** The keys of one Action or its organization. */
const ofOneAction: readonly Limit[] = [
  {
    what: 'its one key of the delivery log',
    reachedAt: PARTITION.writes / writes,
    source: COUNTS,
    change: '[`spreadDeliveryLog`](deploying.md#one-busy-action)',
  },
  {
    what: 'the counter of its organization, only with an outbound quota',
    reachedAt: PARTITION.writes,
    source: '[keys](quotas.md#one-action)',
    change: 'none: requests above it are sent and not counted',
  },
  {
    what: 'the key of its configuration, with one message per batch and 4 KB',
    reachedAt: PARTITION.reads / (1 + 1 / BATCH),
    source: '[keys](quotas.md#one-action)',
    change: 'none: full batches need a tenth',
  },
  {
    what: `its ${KEYS} keys of the delivery log, with \`spreadDeliveryLog\``,
    reachedAt: (KEYS * PARTITION.writes) / writes,
    source: COUNTS,
    change: 'none',
  },
];

/** Returns what breaks first: how much of each limit these rates use, for all organizations and for one Action with a share of the events. */
export function limits(rates: readonly number[], share: number, batchSeconds: number): readonly Table[] {
  const table = (name: string, all: readonly Limit[], part: number): Table => ({
    columns: [name, 'reached at', ...rates.map((rate) => `${count(rate * part)}/s`), 'count behind it', 'change'],
    rows: [...all]
      .sort((one, other) => one.reachedAt - other.reachedAt)
      .map(({ what, reachedAt, source, change }) => [
        what,
        `${count(Math.floor(reachedAt / 10) * 10)}/s`,
        ...rates.map((rate) => used((rate * part) / reachedAt)),
        source,
        change,
      ]),
  });
  return [
    table('All organizations, as deployed', shared(batchSeconds), 1),
    table(`One Action with ${share * 100} % of the events`, ofOneAction, share),
  ];
}

const count = (number: number) => number.toLocaleString('en');

const used = (part: number): string => {
  const percent = `${part < 0.01 ? '< 1' : Math.round(part * 100)} %`;
  return part > 1 ? `**${percent}**` : percent;
};
