import { readFileSync, writeFileSync } from 'node:fs';
import { POLLER_HOUR } from '../lib/concurrency.ts';
import { capacityFor, INVOCATIONS_PER_POLLER } from '../src/contract/capacity.ts';
import { withTable } from './generated-table.ts';

const COSTS = new URL('../docs/costs.md', import.meta.url);

const MILLION = 1_000_000;
const GB = 1024 * 1024; // in KB

/** List prices of us-east-1 in US dollars, on demand, the first tier of each. docs/costs.md has their date. */
export const PRICES = {
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
  keptKbMonth: 0.25 / GB,
  pollerHour: POLLER_HOUR,
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

type Unit = keyof typeof PRICES;
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
    logKb: 0,
  }),
  /** An event whose name is not in the catalog: two lines, of its ids and of the metric. */
  unknownName: (batch: number) => ({ calls: {}, reads: 0, writes: 0, logKb: 0.7 * batch }),
  /**
   * The claim is a small item. The write that completes the record is billed for the whole record, whose payload is compressed.
   */
  attempted: (batch: number) => ({
    calls: { BatchGetItem: 1, PutItem: batch, UpdateItem: batch },
    reads: batch,
    writes: 2 * batch,
    // Three lines of metrics.
    logKb: 0.8,
  }),
} as const satisfies Record<string, Count | ((batch: number) => Count)>;

/** KB of log that Lambda writes per invocation (start and report), and API Gateway per request, by the length of their formats. */
const LINES_OF_INVOCATION = 0.6;
const LINE_OF_ACCESS = 0.4;

function sum(...usages: readonly Usage[]): Usage {
  const total: Usage = {};
  for (const usage of usages) {
    for (const [unit, amount] of Object.entries(usage) as [Unit, number][]) total[unit] = (total[unit] ?? 0) + amount;
  }
  return total;
}
const each = (batch: number, usage: Usage): Usage =>
  Object.fromEntries((Object.entries(usage) as [Unit, number][]).map(([unit, amount]) => [unit, amount / batch]));
const costOf = (usage: Usage): number =>
  (Object.entries(usage) as [Unit, number][]).reduce((all, [unit, amount]) => all + amount * PRICES[unit], 0);

/** Returns the usage of an invocation. @param milliseconds an assumption that the page names */
const invocation = ({ reads, writes, logKb }: Count, milliseconds: number): Usage => ({
  dynamoRead: reads,
  dynamoWrite: writes,
  logKb: logKb + LINES_OF_INVOCATION,
  lambdaRequest: 1,
  lambdaGbSecond: gbSeconds(milliseconds),
});
/** Returns the usage of a request to the API. */
const request = (count: Count, milliseconds: number): Usage =>
  sum(invocation(count, milliseconds), { apiRequest: 1, logKb: LINE_OF_ACCESS });
/** Returns the usage of a message. Lambda receives and deletes a batch with one call each, and bills the batch by its size. */
const message = (batch: number, count: Count, { one, ten }: { readonly one: number; readonly ten: number }): Usage =>
  each(batch, sum(invocation(count, one + ((batch - 1) / 9) * (ten - one)), { queueRequest: 2 }));

const SESSION_CREATE = request(COUNTED.sessionCreate, 25);
/** The preflight that a browser sends once in ten minutes. */
const PREFLIGHT = sum({ cloudFrontRequest: 1 }, request(COUNTED.preflight, 10));
const init = (count: Count): Usage => sum({ cloudFrontRequest: 1 }, request(count, 30));
/** The widget's files with gzip. A browser loads them once per release. */
const WIDGET: Usage = { cloudFrontRequest: 2, sentKb: 10 };

/** Milliseconds for which Lambda bills the event-router, for a batch of one event and of ten: an assumption. */
export const ROUTER_MS = { one: 30, ten: 80 } as const;
/** The bus sends each event in a separate call. */
const ON_THE_BUS: Usage = { busEvent: 1, queueRequest: 1 };
const routed = (batch: number): Usage => sum(ON_THE_BUS, message(batch, COUNTED.routed(batch), ROUTER_MS));
const unknownName = (batch: number): Usage =>
  sum(ON_THE_BUS, message(batch, COUNTED.unknownName(batch), { one: 5, ten: 10 }));
/** The router logs a line for an event that reaches no Action, and sends nothing. */
const unsubscribed = (batch: number): Usage =>
  sum(
    ON_THE_BUS,
    message(batch, { ...COUNTED.routed(batch), calls: { BatchGetItem: 1 }, logKb: 0.34 * batch }, ROUTER_MS),
  );
const begun = (batch: number): Usage => sum(unsubscribed(batch), init(COUNTED.initThatBegins));

/** Returns the usage of one attempt. The attempts of a batch run concurrently. @param sends SQS calls that sent its message */
const attempt = (batch: number, sends: number): Usage =>
  sum(
    { queueRequest: sends, sentKb: 2, keptKbMonth: 1 },
    message(batch, COUNTED.attempted(batch), { one: 250, ten: 400 }),
  );
/** The messages of a batch share an SQS call, as counted. */
const delivery = (batch: number): Usage =>
  sum(routed(batch), attempt(batch, COUNTED.routed(batch).calls.SendMessageBatch / batch));
/** Ten events of one organization need one read. */
const ofOneOrganization = (batch: number): Usage => sum(delivery(batch), { dynamoRead: 1 / batch - 1 });

const HOURS = 730;
/** The resources that cost money without any request. A test checks the counts against the template. */
export const IDLE = { secrets: 3, alarmMetrics: 44, queues: 2 };
/** Lambda polls each queue with five concurrent long polls of twenty seconds. */
const EMPTY_RECEIVES = IDLE.queues * 5 * 3 * 60 * HOURS;
const IDLE_USAGE: Usage = {
  secretMonth: IDLE.secrets,
  alarmMetricMonth: IDLE.alarmMetrics,
  emptyReceive: EMPTY_RECEIVES,
};
const FREE_TIER: Usage = { alarmMetricMonth: -10, emptyReceive: -MILLION };

/** Runs of the canary per month, one every five minutes. */
const CANARY_RUNS = 12 * HOURS;
/** One run: an event that reaches no Action, a session create, an init without a preflight, and the widget's files. The canary's function has 256 MB. */
const CANARY_RUN: Usage = sum(routed(1), SESSION_CREATE, init(COUNTED.init), WIDGET, {
  lambdaRequest: 1,
  lambdaGbSecond: 0.25,
  secretRead: 1,
  logKb: 2,
});
/** The canary's secret, its metric, and the alarms on the metric, on its errors and on its events. */
const CANARY_MONTH: Usage = { secretMonth: 1, customMetricMonth: 1, alarmMetricMonth: 3 };

/** The part of the invocations that X-Ray records, beyond one a second. */
const TRACED = 0.05;
/** A load that needs provisioned pollers, in deliveries per second, and its pollers when all are in use. */
const LARGE = 30_000;
const POLLERS = capacityFor(LARGE).dispatcher / INVOCATIONS_PER_POLLER;

const dollars = (amount: number): string => `$${amount.toFixed(amount < 100 ? 2 : 0)}`;
const perMillion = (usage: Usage): number => MILLION * costOf(usage);
const million = (usage: Usage): string => dollars(perMillion(usage));
const monthly = (usage: Usage): string => dollars(costOf(usage));

/** The costs that README states in whole dollars. */
export const IN_SHORT = {
  idle: costOf(IDLE_USAGE),
  littleTraffic: perMillion(delivery(1)),
  muchTraffic: perMillion(delivery(10)),
};

type Table = { readonly head: string; readonly rows: readonly (readonly string[])[] };

const PER_MILLION: Readonly<Record<string, Usage | ((batch: number) => Usage)>> = {
  'Session creates': SESSION_CREATE,
  'Page views with the widget: one init through CloudFront, which begins no conversation': sum(
    init(COUNTED.init),
    PREFLIGHT,
  ),
  'Each form of at most 4 KB, on a page view': { dynamoRead: 1 },
  'Conversations: the init when the panel first opens, with its event on the bus': begun,
  "The widget's files, for visitors whose browser does not have them yet": WIDGET,
  'Events that no Action subscribes to': unsubscribed,
  'Events whose name is not in the catalog: the mistake of a platform': unknownName,
  'Deliveries: an event that is routed to one Action and accepted at the first attempt': delivery,
  'The same, when all events of a batch are of one organization': ofOneOrganization,
  // One SQS call sends the messages of ten Actions.
  'Each further Action of the same event': (batch) => attempt(batch, 1 / batch),
  Retries: (batch) => attempt(batch, 1),
  'The five seconds of an endpoint that hangs': (batch) => ({ lambdaGbSecond: gbSeconds(5000) / batch }),
  'The two writes that count the requests in flight: Form, AI-decided and test requests, and usage webhooks': {
    dynamoWrite: 2,
  },
};

const PARTS: Readonly<Record<string, readonly Unit[]>> = {
  DynamoDB: ['dynamoRead', 'dynamoWrite', 'keptKbMonth'],
  SQS: ['queueRequest'],
  EventBridge: ['busEvent'],
  Lambda: ['lambdaRequest', 'lambdaGbSecond'],
  Logs: ['logKb'],
  'Data out': ['sentKb'],
};

const TABLES: readonly Table[] = [
  {
    head: '| Usage | Low traffic: one message per batch | High traffic: ten messages per batch |',
    rows: Object.entries(PER_MILLION).map(([what, usage]) => [
      what,
      ...[1, 10].map((batch) => million(typeof usage === 'function' ? usage(batch) : usage)),
    ]),
  },
  {
    head: '| Part of a delivery | Cost |',
    rows: Object.entries(PARTS).map(([part, units]) => [
      part,
      million(Object.fromEntries(units.map((unit) => [unit, delivery(10)[unit] ?? 0]))),
    ]),
  },
  {
    head: '| Part | Cost |',
    rows: [
      [`${IDLE.secrets} secrets`, monthly({ secretMonth: IDLE.secrets })],
      [`alarms on ${IDLE.alarmMetrics} metrics`, monthly({ alarmMetricMonth: IDLE.alarmMetrics })],
      [
        `${(EMPTY_RECEIVES / MILLION).toFixed(2)} million receive calls on ${IDLE.queues} empty queues`,
        monthly({ emptyReceive: EMPTY_RECEIVES }),
      ],
      ['**total**', `**${monthly(IDLE_USAGE)}**`],
      [
        'with the free tier that never ends (10 alarm metrics, a million queue requests)',
        monthly(sum(IDLE_USAGE, FREE_TIER)),
      ],
    ],
  },
  {
    head: '| In use | Cost per month |',
    rows: [
      [
        'each metric of an outcome, an attempt number, their latency, and a reason of a refusal; ten metrics are free',
        monthly({ customMetricMonth: 1 }),
      ],
      [
        'reads of one secret by ten containers that are busy for the whole month',
        monthly({ secretRead: 10 * 12 * HOURS }),
      ],
    ],
  },
  {
    head: '| Option | Cost |',
    rows: [
      [
        '`-c fixedEgress=true`: two NAT gateways and their addresses',
        `${monthly({ natGatewayHour: 2 * HOURS, publicAddressHour: 2 * HOURS })} a month, and $${PRICES.natGb} per GB in each direction`,
      ],
      [
        '`-c canary=true`: every five minutes, with its secret, metric and alarms',
        `${dollars(CANARY_RUNS * costOf(CANARY_RUN) + costOf(CANARY_MONTH))} a month; the same number of runs of CloudWatch Synthetics would cost ${monthly({ syntheticsRun: CANARY_RUNS })}`,
      ],
      ['`-c sealingKeyReplicaRegion=…`', `${monthly({ secretMonth: 1 })} a month`],
      [
        '`va-wave org quota …`: one more write per request of that organization. A request above the quota is not sent, but its message, claim and record cost as much as those of a request that is',
        `${million({ dynamoWrite: 1 })} per million`,
      ],
      [
        '`va-wave warm …`',
        'once, for the units above 4 000 writes and 12 000 reads a second; see DynamoDB’s prices for your region, because we have no price that we could check',
      ],
      [
        '`-c deliveriesPerSecond=…`',
        `nothing up to 20 000. Above, $${PRICES.pollerHour} an hour for each poller in use, two at least: ${monthly({ pollerHour: POLLERS * HOURS })} a month while ${LARGE} deliveries a second use all ${POLLERS}. The price is from public summaries of AWS’s price list; check it`,
      ],
      [
        '`-c kmsKeyArn=…`: the key, and its requests',
        `${monthly({ keyMonth: 1 })} a month, and ${million({ keyRequest: 1 })} per million requests to the key. Each container makes a few in five minutes: \
${monthly({ keyRequest: 10 * 4 * 12 * HOURS })} a month for ten containers that are always busy, with three tables or secrets and a queue each`,
      ],
      ['`-c vpcId=…`, `-c platformAccounts=…`, `-c gradual=true`, `-c accountConcurrency=…`', 'nothing by themselves'],
      [
        '`-c tracing=true`: a trace of one invocation in twenty, and of one a second',
        `${million({ trace: TRACED })} per million invocations; the first 100 000 traces of a month are free`,
      ],
      ['`-c edgeAccessLog=true`', 'the storage of the log, $0.023 per GB and month'],
      [
        '`-c eventArchive=true`',
        '$0.10 per GB that is archived, $0.023 per GB and month, and $1.00 per million events of a replay',
      ],
      ['`-c webAclArn=…`', `${monthly({ webAclMonth: 1 })} a month and $0.60 per million requests, plus its rules`],
    ],
  },
  {
    head: '| Deliveries | va-wave | Svix Professional | EventBridge API destinations |',
    rows: [1, 10, 100].map((millions) => [
      `${millions} million`,
      dollars(IN_SHORT.idle + millions * IN_SHORT.muchTraffic),
      dollars(490 + millions * 100),
      dollars(millions * 1.2),
    ]),
  },
];

/** Returns the text of docs/costs.md with its tables computed. @throws Error when the page lacks one of them */
export function withCosts(page: string): string {
  return TABLES.map(({ head, rows }) =>
    [head, head.replace(/[^|]+/g, ' --- '), ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
  ).reduce(withTable, page);
}

if (import.meta.main) writeFileSync(COSTS, withCosts(readFileSync(COSTS, 'utf8')));
