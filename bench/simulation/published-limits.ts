import { USUAL_TABLE_WRITES } from '../../cli/commands/doctor.ts';
import { shareConcurrency } from '../../lib/concurrency.ts';
import { COUNTED, ROUTER_MS } from '../../scripts/costs.ts';
import { logPartitions } from '../../src/adapters/dynamodb/delivery-records.ts';
import { EVENT_ATTEMPTS, OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { NEW_TABLE } from '../../src/deployment/capacity.ts';
import { busQuotas } from '../../src/deployment/regions.ts';
import type { Table } from '../report.ts';
import { BATCH, SERVICE_TIMES } from './model.ts';

/** A limit, the events a second at which it is reached (deliveries of the one Action), and the remedy. */
type Limit = readonly [what: string, reachedAt: number, change: string];

/** What one key takes, which is in one partition: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html: "limited to 1,000 write units per second and 3,000 read units per second". */
const ONE_KEY = { writes: 1000, reads: 3000 };
const BUS = busQuotas('us-east-1');
const count = (number: number) => number.toLocaleString('en');
const usual = shareConcurrency({});
const { writes } = COUNTED.attempted(1); // Of a delivery whose message is alone in its batch.
/** The keys over which the records of one Action are spread. */
const LOG_KEYS = logPartitions('').length;
/** How long an invocation of the dispatcher takes for a full batch whose endpoints answer. */
const FULL_BATCH_SECONDS = BATCH * SERVICE_TIMES.workPerMessage + SERVICE_TIMES.answersAfter;

/** The limits that all organizations share. */
const SHARED: readonly Limit[] = [
  [
    `the dispatcher's ${usual.dispatcher} invocations, when every endpoint hangs`,
    (usual.dispatcher * BATCH) / (FULL_BATCH_SECONDS + OUTBOUND_TIMEOUT_MS / 1000) / EVENT_ATTEMPTS,
    '[`deliveryConcurrency`](deploying.md), at most 1 000 for an event source mapping',
  ],
  [
    `a new delivery log, ${count(NEW_TABLE.writes)} writes a second in the first half hour`,
    NEW_TABLE.writes / writes,
    '[`va-wave warm`](deploying.md#for-a-known-load)',
  ],
  [
    `the router's ${usual.router} invocations`,
    (usual.router * BATCH) / (ROUTER_MS.ten / 1000),
    '[`deliveriesPerSecond`](deploying.md#for-a-known-load)',
  ],
  [
    `a new configuration table, ${count(NEW_TABLE.reads)} reads a second`,
    NEW_TABLE.reads / (COUNTED.routed(1).reads + COUNTED.attempted(1).reads),
    '`va-wave warm`',
  ],
  [
    "EventBridge's PutEvents requests",
    BUS.requests,
    'ten events per request; a higher quota, and smaller regions begin with 400',
  ],
  ["EventBridge's invocations of the rule", BUS.events, 'a higher quota'],
  [`a table's quota of ${count(USUAL_TABLE_WRITES)} writes a second`, USUAL_TABLE_WRITES / writes, 'a higher quota'],
  [
    `the dispatcher's ${usual.dispatcher} invocations`,
    (usual.dispatcher * BATCH) / FULL_BATCH_SECONDS,
    '`deliveriesPerSecond`',
  ],
];

/** The keys of one Action or its organization. */
const OF_ONE_ACTION: readonly Limit[] = [
  [
    'the counter of its organization, only with an outbound quota',
    ONE_KEY.writes,
    'none: requests above it are sent and not counted',
  ],
  [
    'the counter of its failures, when all of them fail',
    ONE_KEY.writes,
    'none: above it only the watch of the endpoint is incomplete',
  ],
  [
    'the key of its configuration, with one message per batch and 4 KB',
    ONE_KEY.reads / (1 + 1 / BATCH),
    'none: full batches need a tenth',
  ],
  [`its ${LOG_KEYS} keys of the delivery log`, (LOG_KEYS * ONE_KEY.writes) / writes, 'none'],
];

const table = (name: string, limits: readonly Limit[]): Table => ({
  columns: [name, 'reached at', 'change'],
  rows: [...limits]
    .sort(([, one], [, other]) => one - other) // In the order in which a growing load reaches them.
    .map(([what, reachedAt, change]) => [what, `${count(Math.floor(reachedAt / 10) * 10)}/s`, change]),
});

/** The limits of docs/scaling.md, for all organizations and for one Action. */
export const WHAT_BREAKS_FIRST: readonly Table[] = [
  table('All organizations, as deployed', SHARED),
  table('One Action', OF_ONE_ACTION),
];
