import { readFileSync, writeFileSync } from 'node:fs';
import { type Table, withTables } from '../bench/report.ts';

// Writes the tables of docs/costs.md, from AWS's prices, counted calls and the assumptions that the page names: `node scripts/costs.ts`.

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
  secretMonth: 0.4,
  alarmMetricMonth: 0.1,
} as const;

type Usage = readonly (readonly [unit: keyof typeof PRICES, amount: number])[];

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
 * test/service/costs/counts.night.test.ts checks these counts. @param batch messages per invocation
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
  /** The claim is a small item. The write that completes the record is billed for the whole record, whose payload is compressed. */
  attempted: (batch: number) => ({
    calls: { BatchGetItem: 1, PutItem: batch, UpdateItem: batch },
    reads: batch,
    writes: 2 * batch,
    // Three lines of metrics, one of them with the latency of each attempt.
    logKb: 0.69 + 0.011 * batch,
  }),
} as const satisfies Record<string, Count | ((batch: number) => Count)>;

/** KB of log that Lambda writes per invocation (start and report), and API Gateway per request, by the length of their formats. */
const INVOCATION_LOG_KB = 0.6;
const ACCESS_LOG_KB = 0.4;
const costOf = (usage: Usage): number => usage.reduce((all, [unit, amount]) => all + amount * PRICES[unit], 0);
/** Returns what a function of 512 MB uses in this time. */
const runTimeUsage = (milliseconds: number): Usage => [['lambdaGbSecond', (milliseconds / 1000) * 0.5]];
/** Returns the usage of an invocation. @param milliseconds an assumption that the page names */
const invocation = ({ reads, writes, logKb }: Count, milliseconds: number): Usage => [
  ['dynamoRead', reads],
  ['dynamoWrite', writes],
  ['logKb', logKb + INVOCATION_LOG_KB],
  ['lambdaRequest', 1],
  ...runTimeUsage(milliseconds),
];
const request = (count: Count, milliseconds: number): Usage => [
  ...invocation(count, milliseconds),
  ['apiRequest', 1],
  ['logKb', ACCESS_LOG_KB],
];
const throughCloudFront = (count: Count, milliseconds: number): Usage => [
  ['cloudFrontRequest', 1],
  ...request(count, milliseconds),
];
const perMessage = (batch: number, usage: Usage): Usage => usage.map(([unit, amount]) => [unit, amount / batch]);
/** Returns the usage of a message. Lambda receives and deletes a batch with one call each, and bills milliseconds between those of `one` message and of `ten`. */
const message = (batch: number, count: Count, { one, ten }: { readonly one: number; readonly ten: number }): Usage =>
  perMessage(batch, [...invocation(count, one + ((batch - 1) / 9) * (ten - one)), ['queueRequest', 2]]);

/** Milliseconds for which Lambda bills the event-router, for a batch of one event and of ten: an assumption. */
export const ROUTER_MS = { one: 30, ten: 80 } as const;
/** The bus sends each event in a separate call. */
const routingUsage = (batch: number, count: Count = COUNTED.routed(batch)): Usage => [
  ['busEvent', 1],
  ['queueRequest', 1],
  ...message(batch, count, ROUTER_MS),
];
/** The router logs a line for an event that reaches no Action, and sends nothing. */
const unsubscribedUsage = (batch: number): Usage =>
  routingUsage(batch, { ...COUNTED.routed(batch), logKb: 0.34 * batch });

/** Returns the usage of one attempt. The attempts of a batch run concurrently; their milliseconds and sizes are assumptions of the page. @param sends SQS calls that sent its message */
const attempt = (batch: number, sends: number): Usage => [
  ['queueRequest', sends],
  ['sentKb', 2],
  ['keptKbMonth', 1],
  ...message(batch, COUNTED.attempted(batch), { one: 250, ten: 400 }),
];
/** The messages of a batch share an SQS call, as counted. */
const delivery = (batch: number): Usage => [
  ...routingUsage(batch),
  ...attempt(batch, COUNTED.routed(batch).calls.SendMessageBatch / batch),
];

/** The resources that cost money without any request. A test checks the counts against the template. */
export const IDLE = { secrets: 3, alarmMetrics: 53, queues: 2 };
const HOURS_PER_MONTH = 730;
/** Lambda polls each queue with five concurrent long polls of twenty seconds. */
const EMPTY_RECEIVES = IDLE.queues * 5 * 3 * 60 * HOURS_PER_MONTH;
const IDLE_USAGE = {
  [`${IDLE.secrets} secrets`]: [['secretMonth', IDLE.secrets]],
  [`alarms on ${IDLE.alarmMetrics} metrics`]: [['alarmMetricMonth', IDLE.alarmMetrics]],
  [`${(EMPTY_RECEIVES / MILLION).toFixed(2)} million receive calls on ${IDLE.queues} empty queues`]: [
    ['emptyReceive', EMPTY_RECEIVES],
  ],
} as const satisfies Record<string, Usage>;

const dollars = (amount: number): string => `$${amount.toFixed(amount < 100 ? 2 : 0)}`;
const perMillion = (usage: Usage): string => dollars(MILLION * costOf(usage));

/** The costs that README states in whole dollars. */
export const IN_SHORT = {
  idle: costOf(Object.values(IDLE_USAGE).flat()),
  littleTraffic: MILLION * costOf(delivery(1)),
  muchTraffic: MILLION * costOf(delivery(10)),
};

const PER_MILLION: Readonly<Record<string, (batch: number) => Usage>> = {
  'Session creates': () => request(COUNTED.sessionCreate, 25),
  // A browser sends a preflight once in ten minutes.
  'Page views with the widget: one init through CloudFront, which begins no conversation': () => [
    ...throughCloudFront(COUNTED.init, 30),
    ...throughCloudFront(COUNTED.preflight, 10),
  ],
  'Conversations: the init when the panel first opens, with its event on the bus': (batch) => [
    ...unsubscribedUsage(batch),
    ...throughCloudFront(COUNTED.initThatBegins, 30),
  ],
  // With gzip. A browser loads them once per release.
  "The widget's files, for visitors whose browser does not have them yet": () => [
    ['cloudFrontRequest', 2],
    ['sentKb', 10],
  ],
  'Events that no Action subscribes to': unsubscribedUsage,
  'Deliveries: an event that is routed to one Action and accepted at the first attempt': delivery,
  // One SQS call sends the messages of ten Actions.
  'Each further Action of the same event': (batch) => attempt(batch, 1 / batch),
  Retries: (batch) => attempt(batch, 1),
  'The five seconds of an endpoint that hangs': (batch) => perMessage(batch, runTimeUsage(5000)),
  'The two writes that count the requests in flight: Form, AI-decided and test requests, and usage webhooks': () => [
    ['dynamoWrite', 2],
  ],
};

const PARTS: Readonly<Record<string, readonly (keyof typeof PRICES)[]>> = {
  DynamoDB: ['dynamoRead', 'dynamoWrite', 'keptKbMonth'],
  SQS: ['queueRequest'],
  EventBridge: ['busEvent'],
  Lambda: ['lambdaRequest', 'lambdaGbSecond'],
  Logs: ['logKb'],
  'Data out': ['sentKb'],
};

const TABLES: readonly Table[] = [
  {
    columns: ['Usage', 'Low traffic: one message per batch', 'High traffic: ten messages per batch'],
    rows: Object.entries(PER_MILLION).map(([what, usage]) => [what, perMillion(usage(1)), perMillion(usage(10))]),
  },
  {
    columns: ['Part of a delivery', 'Cost'],
    rows: Object.entries(PARTS).map(([part, units]) => [
      part,
      perMillion(delivery(10).filter(([unit]) => units.includes(unit))),
    ]),
  },
  {
    columns: ['Part', 'Cost'],
    rows: [
      ...Object.entries(IDLE_USAGE).map(([part, usage]) => [part, dollars(costOf(usage))]),
      ['**total**', `**${dollars(IN_SHORT.idle)}**`],
    ],
  },
];

/** Returns the text of docs/costs.md with its tables computed. @throws Error when the page lacks one of them */
export const withCosts = (page: string): string => withTables(page, TABLES);

if (import.meta.main) writeFileSync(COSTS, withCosts(readFileSync(COSTS, 'utf8')));
