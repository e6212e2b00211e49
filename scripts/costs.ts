import { writeFileSync } from 'node:fs';
import { capacityFor } from '../src/contract/capacity.ts';

const COSTS = new URL('../docs/costs.md', import.meta.url);

const MILLION = 1_000_000;
const GB = 1024 * 1024; // in KB

/** List prices of us-east-1 in US dollars, on demand, the first tier of each. */
export const PRICES = {
  date: '2026-11-21',
  apiRequest: 1 / MILLION,
  cloudFrontRequest: 1 / MILLION,
  lambdaRequest: 0.2 / MILLION,
  lambdaGbSecond: 0.0000133334,
  dynamoRead: 0.125 / MILLION,
  dynamoWrite: 0.625 / MILLION,
  /** A standard queue's 0.40, and 0.10 for requests with a message group. */
  queueRequest: 0.5 / MILLION,
  emptyReceive: 0.4 / MILLION,
  busEvent: 1 / MILLION,
  logKb: 0.5 / GB,
  sentKb: 0.09 / GB,
  /** A month in a table with point-in-time recovery: 0.25 and 0.20 per GB. */
  keptKbMonth: 0.45 / GB,
  recoveryKbMonth: 0.2 / GB,
  /** An hour of a provisioned unit: one write per second. */
  provisionedWriteHour: 0.00065,
  /** An event poller of SQS. Public summaries of AWS's price list have it; the list itself was not read. */
  pollerHour: 0.00925,
  secretMonth: 0.4,
  secretRead: 5 / MILLION,
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  natGatewayHour: 0.045,
  natGb: 0.045,
  publicAddressHour: 0.005,
  webAclMonth: 5,
  trace: 5 / MILLION,
  keyMonth: 1,
  keyRequest: 3 / MILLION,
  /** A run of a canary of CloudWatch Synthetics, without the function behind it. */
  syntheticsRun: 0.0012,
} as const;

type Unit = Exclude<keyof typeof PRICES, 'date'>;
type Usage = Partial<Record<Unit, number>>;

/** GB-seconds of a function of 512 MB. */
const gbSeconds = (milliseconds: number) => (milliseconds / 1000) * 0.5;

/** The metered usage of one invocation of a function, or of the messages of one batch. */
type Count = {
  /** Calls of AWS services by operation, except those that a container makes once in five minutes (secrets). */
  readonly calls: Readonly<Record<string, number>>;
  /** Read and write units that DynamoDB bills. */
  readonly reads: number;
  readonly writes: number;
  /** KB of the function's own log lines. CloudWatch bills the bytes of a line and 26 more. */
  readonly logKb: number;
};

/**
 * The usage of the deployed bundles for events of 1 kB, organizations with five Actions, assistants without forms, and endpoints that answer 200.
 * test/e2e/costs/counts.test.ts checks these counts. @param batch messages per invocation
 */
export const COUNTED = {
  sessionCreate: { calls: { GetItem: 1, UpdateItem: 2 }, reads: 1, writes: 2, logKb: 0 },
  init: { calls: { GetItem: 1, Query: 1, UpdateItem: 1 }, reads: 2, writes: 1, logKb: 0 },
  /** The init that starts a conversation when the panel first opens. It writes the conversation and publishes an event. */
  initThatBegins: {
    calls: { GetItem: 1, Query: 1, UpdateItem: 1, PutItem: 1, PutEvents: 1 },
    reads: 2,
    writes: 2,
    logKb: 0,
  },
  preflight: { calls: { GetItem: 1 }, reads: 1, writes: 0, logKb: 0 },
  /**
   * Each event of the batch is of another organization. Then the messages share calls only when the reads before them end at the same
   * time, so this is the most that a batch can need. Events of one organization need one read and one call.
   */
  routed: (batch: number) => ({
    calls: { BatchGetItem: 1, SendMessageBatch: 1 },
    reads: batch,
    writes: 0,
    logKb: 0.34 * batch,
  }),
  /** An event whose name is not in the catalog: two lines, of its ids and of the metric. */
  unknownName: (batch: number) => ({ calls: {}, reads: 0, writes: 0, logKb: 0.7 * batch }),
  /**
   * The claim is a small item. The write that completes the record is billed for the whole record. Writes of a batch share calls, but
   * DynamoDB bills each write.
   */
  attempted: (batch: number) => ({
    calls: { BatchGetItem: 1, PutItem: batch, UpdateItem: batch },
    reads: batch,
    writes: 3 * batch,
    // One line per attempt, and three lines of metrics.
    logKb: 0.41 * batch + 0.8,
  }),
} as const satisfies Record<string, Count | ((batch: number) => Count)>;

/** KB of log that Lambda writes per invocation (start and report), and API Gateway per request, by the length of their formats. */
const LINES_OF_INVOCATION = 0.6;
const LINE_OF_ACCESS = 0.4;

const counted = ({ reads, writes, logKb }: Count): Usage => ({
  dynamoRead: reads,
  dynamoWrite: writes,
  logKb: logKb + LINES_OF_INVOCATION,
});
const each = (batch: number, usage: Usage): Usage =>
  Object.fromEntries((Object.entries(usage) as [Unit, number][]).map(([unit, amount]) => [unit, amount / batch]));

/** Returns the usage of a request to the API. @param milliseconds an assumption that the page names */
const request = (count: Count, milliseconds: number): Usage =>
  sum(counted(count), {
    apiRequest: 1,
    lambdaRequest: 1,
    lambdaGbSecond: gbSeconds(milliseconds),
    logKb: LINE_OF_ACCESS,
  });
/** Returns the usage of an invocation for a batch of messages. Lambda receives and deletes the batch with one call each. */
const invocation = (count: Count, milliseconds: number): Usage =>
  sum(counted(count), { queueRequest: 2, lambdaRequest: 1, lambdaGbSecond: gbSeconds(milliseconds) });

const SESSION_CREATE = request(COUNTED.sessionCreate, 25);

/** Assumes a duration in milliseconds for any batch, from those of one message and of ten. */
const between = (batch: number, one: number, ten: number) => one + ((batch - 1) / 9) * (ten - one);

/** Milliseconds for which Lambda bills the event-router, for a batch of one event and of ten: an assumption. */
export const ROUTER_MS = { one: 30, ten: 80 } as const;

/** Returns the usage of routing one event. @param batch messages per invocation: 1 for low traffic, 10 for high traffic */
const routed = (batch: number): Usage =>
  // The bus sends each event in a separate call.
  sum(
    { busEvent: 1, queueRequest: 1 },
    each(batch, invocation(COUNTED.routed(batch), between(batch, ROUTER_MS.one, ROUTER_MS.ten))),
  );

/** Returns the usage of reporting one event whose name is not in the catalog. */
const unknownName = (batch: number): Usage =>
  sum({ busEvent: 1, queueRequest: 1 }, each(batch, invocation(COUNTED.unknownName(batch), between(batch, 5, 10))));

/** Returns the usage of one attempt. @param sends SQS calls that sent its message */
const attempt = (batch: number, sends: number): Usage =>
  sum(
    { queueRequest: sends, sentKb: 2, keptKbMonth: 2 },
    // The attempts of a batch run concurrently, so a batch takes as long as its slowest endpoint.
    each(batch, invocation(COUNTED.attempted(batch), between(batch, 250, 400))),
  );
/** Messages of different organizations share an SQS call only when they are sent at the same time, so each counts as one. */
const firstAttempt = (batch: number): Usage => attempt(batch, 1);
/** One SQS call sends the messages of ten Actions. */
const furtherAttempt = (batch: number): Usage => attempt(batch, 1 / batch);
/** What ten events of one organization save: they need one read and one SQS call. */
const ONE_ORGANIZATION: Usage = { queueRequest: 0.9, dynamoRead: 0.9 };
const retry = (batch: number): Usage => attempt(batch, 1);

/** Returns the usage of one init through CloudFront, with the preflight that a browser sends once in ten minutes. */
const init = (count: Count, preflights: number): Usage =>
  sum(
    { cloudFrontRequest: 1 + preflights },
    request(count, 30),
    ...(preflights > 0 ? [request(COUNTED.preflight, 10)] : []),
  );

const begun = (batch: number): Usage => sum(routed(batch), init(COUNTED.initThatBegins, 0));

/** The widget's files with gzip. A browser loads them once per release. */
const WIDGET: Usage = { cloudFrontRequest: 2, sentKb: 10 };

/** The resources that cost money without any request. A test checks the counts against the template. */
export const IDLE = { secrets: 3, alarmMetrics: 37, queues: 2 };
/** Lambda polls each queue with five concurrent long polls of twenty seconds. */
const EMPTY_RECEIVES = IDLE.queues * 5 * 3 * 60 * 730;
const FREE_RECEIVES = MILLION;
const FREE_ALARM_METRICS = 10;
const HOURS = 730;

const idle =
  IDLE.secrets * PRICES.secretMonth +
  IDLE.alarmMetrics * PRICES.alarmMetricMonth +
  EMPTY_RECEIVES * PRICES.emptyReceive;
const idleWithFreeTier =
  IDLE.secrets * PRICES.secretMonth +
  (IDLE.alarmMetrics - FREE_ALARM_METRICS) * PRICES.alarmMetricMonth +
  (EMPTY_RECEIVES - FREE_RECEIVES) * PRICES.emptyReceive;

/** Runs of the canary per month, one every five minutes. */
const CANARY_RUNS = 12 * HOURS;
/** One run: an event that reaches no Action, a session create, an init without a preflight, and the widget's files. The canary's function has 256 MB. */
const CANARY_RUN: Usage = sum(routed(1), SESSION_CREATE, init(COUNTED.init, 0), WIDGET, {
  lambdaRequest: 1,
  lambdaGbSecond: 0.25,
  secretRead: 1,
  logKb: 2,
});
/** The canary's secret, its metric, and the alarms on the metric, on its errors and on its events. */
const CANARY_MONTH = PRICES.secretMonth + PRICES.customMetricMonth + 3 * PRICES.alarmMetricMonth;

/** The part of the invocations that X-Ray records, beyond one a second. */
const TRACED = 0.05;
/** A steady load with which the options for capacity are compared, in deliveries per second. */
const STEADY = 1000;
/** The part of provisioned capacity that is in use (lib/tables.ts). */
const UTILIZATION = 0.7;
const logWrites = (deliveriesPerSecond: number) => COUNTED.attempted(1).writes * deliveriesPerSecond;

function sum(...usages: readonly Usage[]): Usage {
  const total: Usage = {};
  for (const usage of usages) {
    for (const [unit, amount] of Object.entries(usage) as [Unit, number][]) total[unit] = (total[unit] ?? 0) + amount;
  }
  return total;
}

const perRequest = (usage: Usage): number => perMillion(usage) / MILLION;

const perMillion = (usage: Usage): number =>
  MILLION * (Object.entries(usage) as [Unit, number][]).reduce((all, [unit, n]) => all + n * PRICES[unit], 0);

const dollars = (amount: number): string => `$${amount.toFixed(amount < 100 ? 2 : 0)}`;

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

const delivery = (batch: number) => sum(routed(batch), firstAttempt(batch));
/** Returns the cost of a month with this many million deliveries in batches of ten. */
const month = (millions: number) => idle + millions * perMillion(delivery(10));

/** Returns the dollars for a million deliveries in batches of this size. */
const delivered = (batch: number) => perMillion(delivery(batch));

/** The costs that README states in whole dollars. */
export const IN_SHORT = { idle, littleTraffic: delivered(1), muchTraffic: delivered(10) };

/** Returns the text of docs/costs.md. */
export function costs(): string {
  const alone = (usage: (batch: number) => Usage) => [dollars(perMillion(usage(1))), dollars(perMillion(usage(10)))];
  const parts: readonly [string, readonly Unit[]][] = [
    ['DynamoDB', ['dynamoRead', 'dynamoWrite', 'keptKbMonth']],
    ['SQS', ['queueRequest']],
    ['EventBridge', ['busEvent']],
    ['Lambda', ['lambdaRequest', 'lambdaGbSecond']],
    ['Logs', ['logKb']],
    ['Data out', ['sentKb']],
  ];
  const shares = parts.map(([name, units]) => {
    const usage = delivery(10);
    const part = Object.fromEntries(units.map((unit) => [unit, usage[unit] ?? 0]));
    return [name, dollars(perMillion(part))];
  });
  const canary = CANARY_RUNS * perRequest(CANARY_RUN) + CANARY_MONTH;
  const nat = 2 * HOURS * (PRICES.natGatewayHour + PRICES.publicAddressHour);
  return `# Costs

<!-- \`node scripts/costs.ts\` generates this page from its price table. A test compares it with the script, and its counts with the template. -->

This page is for **operators**. After reading it you can estimate the monthly cost of the service for your load and your options.

The prices are AWS's list prices of us-east-1, on demand, as this project knew them on ${PRICES.date}. They include no free tier unless the text says so. The costs are
calls multiplied by prices, and not taken from a bill. Check the prices before you rely on them.

## Per million

${table(
  ['Usage', 'Low traffic: one message per batch', 'High traffic: ten messages per batch'],
  [
    ['Session creates', dollars(perMillion(SESSION_CREATE)), dollars(perMillion(SESSION_CREATE))],
    [
      'Page views with the widget: one init through CloudFront, which begins no conversation',
      ...alone(() => init(COUNTED.init, 1)),
    ],
    ['Conversations: the init when the panel first opens, with its event on the bus', ...alone(begun)],
    [
      "The widget's files, for visitors whose browser does not have them yet",
      dollars(perMillion(WIDGET)),
      dollars(perMillion(WIDGET)),
    ],
    ['Events that no Action subscribes to', ...alone(routed)],
    ['Events whose name is not in the catalog: the mistake of a platform', ...alone(unknownName)],
    ['Deliveries: an event that is routed to one Action and accepted at the first attempt', ...alone(delivery)],
    ['Each further Action of the same event', ...alone(furtherAttempt)],
    ['Retries', ...alone(retry)],
  ],
)}

These are the parts of the cost of a million deliveries with much traffic. Each event of a batch is of another
organization here. Events of one organization share a read and a call of SQS, and cost ${dollars(delivered(10) - perMillion(ONE_ORGANIZATION))}:

${table(['Part', 'Cost'], shares)}

Assumptions:

- Functions have 512 MB. Lambda bills 25 ms for a session create, 30 ms for an init, 10 ms for its preflight, 250 ms for a delivery (the endpoint answers within 200 ms)
  and 400 ms for a batch of ten.
- The organization has five Actions, and the assistant has no form. Each form of at most 4 KB adds ${dollars(perMillion({ dynamoRead: 1 }))} to a million inits. The container has routed an event of the
  organization in the last minute; otherwise it also reads the Event Actions, one unit for each 4 KB of them. An event of an assistant
  without an Event Action reads one unit more. Events have 1 kB (SQS bills a call for each 64 KB). Their records have 2 KB and are kept for a month.
- Lambda logs ${LINES_OF_INVOCATION} KB per invocation, and API Gateway ${LINE_OF_ACCESS} KB per request.
- A test runs the deployed bundles and counts the calls, the units of DynamoDB and the service's own log lines.

Lambda bills five seconds per attempt to an endpoint that hangs: ${dollars(perMillion({ lambdaGbSecond: gbSeconds(5000) }))} per million with one message per batch, \
${dollars(perMillion({ lambdaGbSecond: gbSeconds(500) }))} in batches of ten.

## Idle, per month

${table(
  ['Part', 'Cost'],
  [
    [`${IDLE.secrets} secrets`, dollars(IDLE.secrets * PRICES.secretMonth)],
    [`alarms on ${IDLE.alarmMetrics} metrics`, dollars(IDLE.alarmMetrics * PRICES.alarmMetricMonth)],
    [
      `${(EMPTY_RECEIVES / MILLION).toFixed(2)} million receive calls on ${IDLE.queues} empty queues`,
      dollars(EMPTY_RECEIVES * PRICES.emptyReceive),
    ],
    ['**total**', `**${dollars(idle)}**`],
    ['with the free tier that never ends (10 alarm metrics, a million queue requests)', dollars(idleWithFreeTier)],
  ],
)}

CloudWatch bills an alarm over a sum by the metrics in it. Twelve metrics are the errors of the functions, one for each, and eight are the throttles of the four tables. Lambda also has the sum over the account as one
metric, but that sum counts the errors of functions that do not belong to this service. The stage dev has the same alarms, so that a test in dev covers what prod has. Without
alarms it would cost ${dollars(IDLE.alarmMetrics * PRICES.alarmMetricMonth)} less.

One CloudWatch dashboard of up to fifty metrics is free, and so are 10 000 dashboard users. A function reads each of its secrets when it starts, and every five minutes while it
is busy. Ten containers that are busy for the whole month read one secret for ${dollars(10 * HOURS * 12 * PRICES.secretRead)}. In use, these are separate metrics at \
${dollars(PRICES.customMetricMonth)} a month: each outcome, each attempt number, their latency, and each reason of a refusal. Ten metrics are free.

## Options

${table(
  ['Option', 'Cost'],
  [
    [
      '`-c fixedEgress=true`: two NAT gateways and their addresses',
      `${dollars(nat)} a month, and $${PRICES.natGb} per GB in each direction`,
    ],
    [
      '`-c canary=true`: every five minutes, with its secret, metric and alarms',
      `${dollars(canary)} a month; the same number of runs of CloudWatch Synthetics would cost ${dollars(CANARY_RUNS * PRICES.syntheticsRun)}`,
    ],
    ['`-c sealingKeyReplicaRegion=…`', `${dollars(PRICES.secretMonth)} a month`],
    [
      '`va-wave org quota …`: one more write per request of that organization. A request above the quota is not sent, but its message, claim and record cost as much as those of a request that is',
      `${dollars(perMillion({ dynamoWrite: 1 }))} per million`,
    ],
    [
      '`-c deliveryLogCapacity=provisioned`, with a steady load',
      `${dollars((logWrites(STEADY) / UTILIZATION) * HOURS * PRICES.provisionedWriteHour)} a month for the writes of ${STEADY} deliveries a second, \
instead of ${dollars(logWrites(STEADY) * HOURS * 3600 * PRICES.dynamoWrite)} on demand`,
    ],
    [
      '`-c deliveryLogRecovery=false`',
      `saves ${dollars(MILLION * 2 * PRICES.recoveryKbMonth)} per million deliveries that are kept for a month`,
    ],
    [
      '`-c warmTables=true`',
      'once, for the units above 4 000 writes and 12 000 reads a second; see DynamoDB’s prices for your region, because we have no price that we could check',
    ],
    [
      '`-c provisionedPollers=true`',
      `$${PRICES.pollerHour} an hour for each poller that is ready: ${dollars(IDLE.queues * capacityFor(STEADY).pollers * HOURS * PRICES.pollerHour)} a month for ${STEADY} deliveries a second. The price is \
from public summaries of AWS’s price list; check it`,
    ],
    [
      '`-c kmsKeyArn=…`: the key, and its requests',
      `${dollars(PRICES.keyMonth)} a month, and ${dollars(MILLION * PRICES.keyRequest)} per million requests to the key. Each container makes a few in five minutes: \
${dollars(10 * 4 * HOURS * 12 * PRICES.keyRequest)} a month for ten containers that are always busy, with three tables or secrets and a queue each`,
    ],
    ['`-c vpcId=…`, `-c platformAccounts=…`, `-c gradual=true`', 'nothing by themselves'],
    [
      '`-c tracing=true`: a trace of one invocation in twenty, and of one a second',
      `${dollars(MILLION * TRACED * PRICES.trace)} per million invocations; the first 100 000 traces of a month are free`,
    ],
    ['`-c edgeAccessLog=false`', 'saves the storage of the log, $0.023 per GB and month'],
    ['`-c webAclArn=…`', `${dollars(PRICES.webAclMonth)} a month and $0.60 per million requests, plus its rules`],
  ],
)}

Form, AI-decided and test requests, and usage webhooks, make two more writes than an event's delivery. The writes count the organization's requests in flight. They cost \
${dollars(perMillion({ dynamoWrite: 2 }))} per million.

## Comparison with other services, per month

${table(
  ['Deliveries', 'va-wave', 'Svix Professional', 'EventBridge API destinations'],
  [1, 10, 100].map((millions) => [
    `${millions} million`,
    dollars(month(millions)),
    dollars(490 + millions * 100),
    dollars(millions * 1.2),
  ]),
)}

Svix publishes $490 a month and $100 per million messages. The price per million of Hookdeck depends on plan and throughput; we have no price that we could check. API
destinations cost $1.00 per million events and $0.20 per million requests. They do not sign a body, keep no record per attempt and do not read a customer's answer. They limit
the rate per connection, and their retries do not wait 2 s and 4 s.
`;
}

if (import.meta.main) writeFileSync(COSTS, costs());
