/** The maximum concurrency of each part of the service. */
export type Concurrency = {
  readonly router: number;
  readonly dispatcher: number;
  /** Requests per second that the API accepts. A burst may be twice as large. */
  readonly requestsPerSecond: number;
};

/** Half of the default quota of an account, so that the widget keeps the other half. docs/scaling.md says how much traffic this allows. */
export const USUAL: Concurrency = { router: 20, dispatcher: 500, requestsPerSecond: 2000 };

/** The limits of the maximum concurrency of an SQS event source mapping. */
const MAPPING_MIN = 2;
const MAPPING_MAX = 1000;
/** The router's share of the account's concurrency. Routing takes a fraction of the time of the deliveries. */
const ROUTER_SHARE = 1 / 50;
/** Requests per second that one invocation can answer. A request takes about 40 ms. */
const REQUESTS_PER_INVOCATION = 25;

/**
 * Divides the concurrency of an account, so that slow endpoints never leave the widget without invocations. The router gets a fiftieth, the
 * dispatcher gets half of the rest, and the API accepts what the other half can answer.
 * @param account the quota "Concurrent executions" of the account, at least 10
 */
export function shareConcurrency(account: number): Concurrency {
  const router = Math.min(USUAL.router, Math.max(MAPPING_MIN, Math.floor(account * ROUTER_SHARE)));
  const dispatcher = Math.min(MAPPING_MAX, Math.floor((account - router) / 2));
  const free = account - router - dispatcher;
  return { router, dispatcher, requestsPerSecond: Math.min(USUAL.requestsPerSecond, free * REQUESTS_PER_INVOCATION) };
}
