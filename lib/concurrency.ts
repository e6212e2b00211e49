import { Token } from 'aws-cdk-lib';
import {
  capacityFor,
  INVOCATIONS_PER_POLLER,
  MAPPING_MAX,
  MAPPING_MIN,
  NEW_TABLE,
  USUAL_ACCOUNT_CONCURRENCY,
} from '../src/deployment/capacity.ts';
import { busQuotas } from '../src/deployment/regions.ts';

export type Concurrency = ReturnType<typeof shareConcurrency>;

/** The most that the router takes without a known load, and its share of an account's concurrency: routing takes a fraction of the time of the deliveries. */
const ROUTER_MAX = 20;
const ROUTER_SHARE = 1 / 50;
/**
 * "Across all functions in your account, Lambda enforces a requests per second limit that's equal to 10 times your account concurrency."
 * (https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html). The API has that of the executions which the queues leave.
 */
const REQUESTS_PER_EXECUTION = 10;
/** The usual quota of an account in most regions (https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html). */
const API_REQUESTS_MAX = 10_000;
/** form-submit, ai-action, usage-report and action-test wait for an endpoint. Together they take at most half of what the queues leave. */
const WAITING_FUNCTIONS = 4;
const WAITING_SHARE = 1 / 2;
/** Lambda refuses a reservation that leaves less (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html). */
const UNRESERVED_MIN = 100;

export type ConcurrencyOptions = {
  readonly [name in 'accountConcurrency' | 'deliveriesPerSecond' | 'deliveryConcurrency']?: number | undefined;
};

/**
 * Divides the concurrency of the account, so that slow endpoints never leave the widget without invocations. The router gets a fiftieth, and
 * the dispatcher half of the rest, or what the expected deliveries need when that is more. Without `accountConcurrency`, the account is taken to
 * have what they need. With it, requests that wait for endpoints get half of the remainder: a reservation in an account with a smaller quota would
 * fail the deployment.
 */
export function shareConcurrency(options: ConcurrencyOptions) {
  const neededCapacity = capacityFor(options.deliveriesPerSecond ?? 0);
  const account = options.accountConcurrency ?? Math.max(USUAL_ACCOUNT_CONCURRENCY, neededCapacity.account);
  const routerByAccount = Math.min(ROUTER_MAX, Math.max(MAPPING_MIN, Math.floor(account * ROUTER_SHARE)));
  const router = Math.max(routerByAccount, neededCapacity.router);
  // Never less than half of the rest: an Action that hangs takes every free invocation, so a small load needs as many.
  const dispatcherByAccount = Math.min(MAPPING_MAX, Math.floor((account - router) / 2));
  const dispatcher = options.deliveryConcurrency ?? Math.max(dispatcherByAccount, neededCapacity.dispatcher);
  const leftByQueues = account - router - dispatcher;
  const perFunction = Math.min(leftByQueues * WAITING_SHARE, account - UNRESERVED_MIN) / WAITING_FUNCTIONS;
  return {
    account,
    router,
    dispatcher,
    /** Requests per second that the API accepts on all routes together. Bursts may be larger (service-api.ts). */
    requestsPerSecond: Math.min(API_REQUESTS_MAX, leftByQueues * REQUESTS_PER_EXECUTION),
    /** Reserved for each function whose caller waits for an endpoint. Undefined: none */
    waiting: options.accountConcurrency === undefined || perFunction < 1 ? undefined : Math.floor(perFunction),
  };
}

/** Dollars an hour for an event poller of SQS in us-east-1. Public summaries of https://aws.amazon.com/lambda/pricing/ have it; the page itself shows prices only with JavaScript. */
const POLLER_HOUR = 0.00925;

/** Returns what the synthesis tells an operator of a known load: prices, quotas, and tables to warm. @param region of the stack, or a token */
export function notesOnCapacity(
  options: ConcurrencyOptions,
  region = '',
): readonly (readonly [id: string, note: string])[] {
  const { deliveriesPerSecond = 0 } = options;
  const { account, dispatcher } = shareConcurrency(options);
  const { logWrites, counterWrites, configurationReads } = capacityFor(deliveriesPerSecond);
  const toWarm = Math.max(logWrites, counterWrites) > NEW_TABLE.writes || configurationReads > NEW_TABLE.reads;
  const load = `${deliveriesPerSecond} deliveries a second`;
  const command = (name: string) => `npx --no-install va-wave ${name} --deliveries-per-second ${deliveriesPerSecond}`;
  const pollers = `from 2 to ${dispatcher / INVOCATIONS_PER_POLLER} pollers, $${POLLER_HOUR} an hour for each in use`;
  const notes: readonly (readonly [boolean, string, string])[] = [
    [dispatcher > MAPPING_MAX, 'va-wave:pollers', `The deliveries queue has provisioned pollers: ${pollers}`],
    [
      options.accountConcurrency === undefined && account > USUAL_ACCOUNT_CONCURRENCY,
      'va-wave:account',
      `${load} need ${account} concurrent executions of the account; ${command('doctor')} compares them with its quota`,
    ],
    [
      !Token.isUnresolved(region) && region !== '' && deliveriesPerSecond > busQuotas(region).events,
      'va-wave:region',
      `${region} passes ${busQuotas(region).events} events a second to the queue by default, and others later; ${command('doctor')} names the quota`,
    ],
    [toWarm, 'va-wave:warm', `New tables take less than ${load}: run ${command('warm')} after the deployment`],
  ];
  return notes.flatMap(([applies, id, note]) => (applies ? [[id, note] as const] : []));
}
