import { randomInt } from 'node:crypto';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { DynamoDb } from '../adapters/dynamodb/client.ts';
import { hitPerDay } from '../adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../adapters/dynamodb/delivery-log-table.ts';
import { inFlightLeases } from '../adapters/dynamodb/in-flight-leases.ts';
import { createOutbound } from '../adapters/outbound/outbound.ts';
import { REQUESTS_IN_FLIGHT_PER_ORGANIZATION } from '../contract/limits.ts';
import { METRICS_NAMESPACE } from '../deployment/metrics.ts';
import type { Attempts } from '../domain/delivery/delivery-log.ts';
import { InvocationEnded, withinInFlight, withinQuota } from '../domain/delivery/outbound-request.ts';
import { logWriteFailed, publish } from './reports.ts';
import { errorName, functionLogger, now, outboundClock, setting, traceId } from './shell.ts';

/**
 * Creates the parts that all functions with outbound requests share: the outbound pipeline, the delivery log, and the end of an
 * invocation, which ends its attempts and emits its metrics.
 * @param serviceName name of the function in its logs
 * @param options.queued whether the attempts come from a queue, which limits the requests in flight. @default false
 */
export function outboundFunction(serviceName: string, dynamo: DynamoDb, { queued = false } = {}) {
  const logger = functionLogger(serviceName);
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  const { makeAttempt } = createOutbound({ clock: outboundClock });
  const counters = setting('countersTable');
  const notCounted = (message: string) => (orgId: string, cause: unknown) =>
    logger.error(message, { org_id: orgId, cause: errorName(cause) });
  const counted = withinQuota(makeAttempt, {
    hitPerDay: hitPerDay(dynamo, counters),
    uncounted: notCounted('A request could not be counted against its quota'),
    now,
  });
  const limited = queued
    ? counted
    : withinInFlight(counted, {
        takeLease: inFlightLeases(dynamo, counters, REQUESTS_IN_FLIGHT_PER_ORGANIZATION, (options) =>
          randomInt(options),
        ),
        leaseFailed: notCounted('A request could not be counted against the limit of requests in flight'),
        now,
      });
  const table = setting('deliveryLogTable');
  const recording = {
    log: deliveryLog(dynamo, table, {
      retentionDays: Number(setting('deliveryLogRetentionDays')),
      now,
      traceId: () => traceId(process.env),
    }),
    logWriteFailed: logWriteFailed(logger, metrics),
  };
  return {
    logger,
    metrics,
    /**
     * Runs the work of one invocation; others may run in the environment at the same time. Its attempts end with it, and then it emits its
     * metrics.
     * @param work gets what makes its attempts, and the signal that fires when the invocation ends
     */
    invocation: <Result>(
      time: InvocationTime,
      work: (attempts: Attempts, ended: AbortSignal) => Promise<Result>,
    ): Promise<Result> =>
      withinInvocation(time, (ended) =>
        work({ ...recording, makeAttempt: (request) => limited(request, ended) }, ended),
      ).finally(() => publish(metrics)),
  };
}

/** The part of Lambda's context that says how much time an invocation has, in milliseconds. */
export type InvocationTime = { readonly getRemainingTimeInMillis: () => number };

/** One for all invocations, because nearly every invocation ends without anybody who sees it. */
const ENDED = new InvocationEnded();

/**
 * Runs the work of one invocation. An environment may have many invocations at the same time, and one that times out is not stopped. So
 * the work gets a signal that fires when its invocation ends, and at its deadline at the latest, with InvocationEnded as the reason.
 */
export async function withinInvocation<Result>(
  time: InvocationTime,
  work: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const end = () => ended.abort(ENDED);
  const deadline = setTimeout(end, time.getRemainingTimeInMillis());
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(deadline);
    end();
  }
}

/** Returns a function that makes a call, or throws InvocationEnded when the signal has fired. */
export const unlessEnded =
  <Parameters extends readonly unknown[], Result>(
    ended: AbortSignal,
    call: (...parameters: Parameters) => Promise<Result>,
  ): ((...parameters: Parameters) => Promise<Result>) =>
  async (...parameters) => {
    ended.throwIfAborted();
    return call(...parameters);
  };
