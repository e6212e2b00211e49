import { randomInt, randomUUID } from 'node:crypto';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { DynamoDb } from '../adapters/dynamodb/client.ts';
import { deliveryLog } from '../adapters/dynamodb/delivery-log.ts';
import { inFlightLeases } from '../adapters/dynamodb/in-flight-leases.ts';
import { hitPerDay } from '../adapters/dynamodb/rate-limits.ts';
import { writesTogether } from '../adapters/dynamodb/writes-together.ts';
import { createOutbound } from '../adapters/outbound/outbound.ts';
import { ENVIRONMENT } from '../contract/environment.ts';
import { REQUESTS_IN_FLIGHT_PER_ORGANIZATION } from '../contract/limits.ts';
import { METRICS_NAMESPACE } from '../contract/metrics.ts';
import type { MakeAttempt } from '../domain/delivery/outbound.ts';
import { withinInFlight, withinQuota } from '../domain/delivery/outbound-limits.ts';
import { type InvocationTime, withinInvocation } from './invocation.ts';
import { logWriteFailed, publish } from './reports.ts';
import { errorName, functionLogger, now, outboundClock, required, traceId } from './shell.ts';

/** What belongs to one invocation. Other invocations may run in the environment at the same time. */
export type InvocationPorts = {
  readonly makeAttempt: MakeAttempt;
  /** Fires when the invocation ends. */
  readonly ended: AbortSignal;
};

/**
 * Creates the parts that all functions with outbound requests share: the outbound pipeline, the delivery log, and the end of an
 * invocation, which ends its attempts and emits its metrics.
 * @param serviceName name of the function in its logs
 * @param options.queued whether the attempts come from a queue: those that run concurrently share calls that write their records, which
 * needs the permission for PartiQL, and the queue limits the requests in flight. @default false
 */
export function outboundFunction(
  serviceName: string,
  environment: NodeJS.ProcessEnv,
  dynamo: DynamoDb,
  { queued = false } = {},
) {
  const logger = functionLogger(serviceName);
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  const { makeAttempt } = createOutbound({ clock: outboundClock });
  const counters = required(environment, ENVIRONMENT.countersTable);
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
  const table = required(environment, ENVIRONMENT.deliveryLogTable);
  return {
    logger,
    metrics,
    ports: {
      log: deliveryLog(dynamo, table, {
        retentionDays: Number(required(environment, ENVIRONMENT.deliveryLogRetentionDays)),
        now,
        traceId: () => traceId(environment),
        ...(queued ? { writes: writesTogether(dynamo, table) } : {}),
      }),
      logWriteFailed: logWriteFailed(logger, metrics),
      now,
      newId: randomUUID,
    },
    /** Runs the work of one invocation. Its attempts end with it, and then it emits its metrics. */
    invocation: <Result>(time: InvocationTime, work: (own: InvocationPorts) => Promise<Result>): Promise<Result> =>
      withinInvocation(time, (ended) => work({ makeAttempt: (request) => limited(request, ended), ended })).finally(
        () => publish(metrics),
      ),
  };
}
