import { capacityFor, USUAL_ACCOUNT_CONCURRENCY } from '../src/contract/capacity.ts';
import type { DeploymentOptions } from './deployment-options.ts';

/** The maximum concurrency of each part of the service. */
export type Concurrency = {
  readonly router: number;
  readonly dispatcher: number;
  /** Requests per second that the API accepts on all routes together. A burst may be twice as large. */
  readonly requestsPerSecond: number;
};

/** The limits of the maximum concurrency of an SQS event source mapping. */
export const MAPPING_MIN = 2;
export const MAPPING_MAX = 1000;
/** The router's share of an account's concurrency. Routing takes a fraction of the time of the deliveries. */
const ROUTER_SHARE = 1 / 50;
/**
 * Requests per second that Lambda takes for each execution of the account's quota, however short they are
 * (https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html#concurrency-vs-requests-per-second).
 */
const REQUESTS_PER_EXECUTION = 10;
/** API Gateway's quota of requests per second of an account (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html). */
const API_REQUESTS_MAX = 10_000;

/** The defaults: half of the usual quota of an account, so that the widget keeps the other half. docs/scaling.md says how much traffic this allows. */
export const USUAL: Concurrency = { router: 20, dispatcher: 500, requestsPerSecond: 4000 };

export type ConcurrencyOptions = Pick<
  DeploymentOptions,
  'accountConcurrency' | 'deliveriesPerSecond' | 'deliveryConcurrency'
>;

/**
 * Divides the concurrency of the account, so that slow endpoints never leave the widget without invocations. The router gets a fiftieth, and
 * the dispatcher half of the rest, or what the expected deliveries need when that is more. The API accepts what the other executions take.
 */
export function shareConcurrency(options: ConcurrencyOptions): Concurrency {
  const { accountConcurrency: account, deliveriesPerSecond } = options;
  const share = account === undefined ? USUAL : sharesOf(account);
  const needed = deliveriesPerSecond === undefined ? share : capacityFor(deliveriesPerSecond);
  const router = Math.max(share.router, needed.router);
  // Not less for a small load: an Action that hangs takes the invocations which the others leave.
  const dispatcher = options.deliveryConcurrency ?? Math.max(share.dispatcher, needed.dispatcher);
  const free = Math.max(1, (account ?? USUAL_ACCOUNT_CONCURRENCY) - router - dispatcher);
  const most = account === undefined ? USUAL.requestsPerSecond : API_REQUESTS_MAX;
  return { router, dispatcher, requestsPerSecond: Math.min(most, free * REQUESTS_PER_EXECUTION) };
}

function sharesOf(account: number): Pick<Concurrency, 'router' | 'dispatcher'> {
  const router = Math.min(USUAL.router, Math.max(MAPPING_MIN, Math.floor(account * ROUTER_SHARE)));
  return { router, dispatcher: Math.min(MAPPING_MAX, Math.floor((account - router) / 2)) };
}
