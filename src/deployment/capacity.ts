/** The usual quota "Concurrent executions" of an account, for which the defaults of the stack are chosen. */
export const USUAL_ACCOUNT_CONCURRENCY = 1000;

/**
 * The write units per second that a new table takes at once when it is on demand, and its read units. DynamoDB doubles them as the
 * load grows (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html).
 */
export const NEW_TABLE = { writes: 4000, reads: 12_000 } as const;

/**
 * The limits of the maximum concurrency of an SQS event source mapping, and the concurrent invocations of each provisioned poller, which replaces
 * that maximum (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html).
 */
export const MAPPING_MIN = 2;
export const MAPPING_MAX = 1000;
export const INVOCATIONS_PER_POLLER = 10;

/** What a number of deliveries per second needs: concurrent invocations of each function, and read and write units per second of the tables. */
export type Capacity = {
  readonly router: number;
  /** Concurrent invocations of the dispatcher. Above MAPPING_MAX they are those of the pollers that receive the load. */
  readonly dispatcher: number;
  /** Concurrent executions of the account: as many as the attempts need stay free for the functions that answer requests. */
  readonly account: number;
  readonly logWrites: number;
  readonly configurationReads: number;
  readonly counterWrites: number;
};

/** Events per second that one invocation of the router takes: ten in 80 ms, and a fifth in reserve. */
const ROUTED_PER_INVOCATION = 100;
/**
 * Attempts per second that one invocation of the dispatcher makes. In the model of docs/scaling.md it makes 45 while all endpoints answer. More than
 * half is in reserve, because a hanging Action takes every free invocation for five seconds.
 */
const ATTEMPTED_PER_INVOCATION = 20;
/** Messages per second that a provisioned poller receives: ten calls of ten messages (the page of AWS above). */
const RECEIVED_PER_POLLER = 100;
/** The claim is one unit. The completed record is one for an event of 1 kB (scripts/costs.ts), and two for a larger or longer answered one. */
const LOG_WRITES_PER_DELIVERY = 3;
/** The router reads the subscriptions, and the dispatcher reads the Action. */
const CONFIGURATION_READS_PER_DELIVERY = 2;
/**
 * One for the outbound quota or for the failure of a delivery. The other is for the limits of widget and backend requests: each request
 * counts against two limits at most, so there is room for half as many requests as deliveries.
 */
const COUNTER_WRITES_PER_DELIVERY = 2;

/**
 * Returns what this number of deliveries per second needs, if each event reaches one Action, most attempts are the first, and a record has
 * two kilobytes at most after compression, because DynamoDB takes one more write unit for each further kilobyte.
 */
export function capacityFor(deliveriesPerSecond: number): Capacity {
  const router = Math.max(MAPPING_MIN, Math.ceil(deliveriesPerSecond / ROUTED_PER_INVOCATION));
  const attemptingInvocations = Math.max(MAPPING_MIN, Math.ceil(deliveriesPerSecond / ATTEMPTED_PER_INVOCATION));
  const polledInvocations = INVOCATIONS_PER_POLLER * Math.ceil(deliveriesPerSecond / RECEIVED_PER_POLLER);
  const dispatcher = attemptingInvocations > MAPPING_MAX ? polledInvocations : attemptingInvocations;
  return {
    router,
    dispatcher,
    account: router + dispatcher + attemptingInvocations,
    logWrites: LOG_WRITES_PER_DELIVERY * deliveriesPerSecond,
    configurationReads: CONFIGURATION_READS_PER_DELIVERY * deliveriesPerSecond,
    counterWrites: COUNTER_WRITES_PER_DELIVERY * deliveriesPerSecond,
  };
}

/** Returns the deliveries per second for which these write units of the delivery log are enough. */
export const deliveriesFor = (logWrites: number): number => Math.floor(logWrites / LOG_WRITES_PER_DELIVERY);
