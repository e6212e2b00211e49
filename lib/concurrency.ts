/** How many invocations at once each part of the service may have, at most. */
export type Concurrency = {
  readonly router: number;
  readonly dispatcher: number;
  /** Requests that the API lets through in a second; a burst may be twice as many. */
  readonly requestsPerSecond: number;
};

/** Enough for 10 000 events a second (docs/scaling.md), and half of what an account has by default: the widget needs some too. */
export const USUAL: Concurrency = { router: 20, dispatcher: 500, requestsPerSecond: 2000 };

/** An event source mapping of SQS takes no less, and no more. */
const MAPPING_MIN = 2;
const MAPPING_MAX = 1000;
/** Of the account's invocations: events are routed in a fraction of the time that their deliveries take. */
const ROUTER_SHARE = 1 / 50;
/** What one free invocation answers: a request takes some 40 ms. */
const REQUESTS_PER_INVOCATION = 25;

/**
 * Shares an account's invocations out, so that busy endpoints never leave the widgets without any: a fiftieth to the router, half
 * of the rest to the dispatcher, and to the API what the other half can answer.
 * @param account the quota "Concurrent executions" of the account, 10 at least
 */
export function shareConcurrency(account: number): Concurrency {
  const router = Math.min(USUAL.router, Math.max(MAPPING_MIN, Math.floor(account * ROUTER_SHARE)));
  const dispatcher = Math.min(MAPPING_MAX, Math.floor((account - router) / 2));
  const free = account - router - dispatcher;
  return { router, dispatcher, requestsPerSecond: Math.min(USUAL.requestsPerSecond, free * REQUESTS_PER_INVOCATION) };
}
