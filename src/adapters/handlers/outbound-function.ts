import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { ENVIRONMENT } from '../../contract/environment.ts';
import { REQUESTS_IN_FLIGHT_PER_ORGANIZATION } from '../../contract/limits.ts';
import { METRICS_NAMESPACE, METRICS_SERVICE } from '../../contract/metrics.ts';
import { withinInFlight } from '../../domain/delivery/within-in-flight.ts';
import { withinQuota } from '../../domain/delivery/within-quota.ts';
import type { DynamoDb } from '../dynamodb/client.ts';
import { deliveryLog } from '../dynamodb/delivery-log.ts';
import { inFlightLeases } from '../dynamodb/in-flight-leases.ts';
import { hitPerDay } from '../dynamodb/rate-limits.ts';
import { createDeliver } from '../outbound/deliver.ts';
import { required } from './environment.ts';
import { logWriteFailed } from './log-write-failed.ts';
import { now, outboundClock } from './system-clock.ts';

/**
 * What every function that talks to customers has in common: the one way out, the delivery log, and an end of each invocation
 * at which nothing is under way and the metrics are written.
 * @param serviceName names the function in its logs
 */
export function outboundFunction(serviceName: string, environment: NodeJS.ProcessEnv, dynamo: DynamoDb) {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
  const { deliver, endAttempts } = createDeliver({ clock: outboundClock });
  // Usage webhooks belong to no Action: nothing counts them, and their function has no counters.
  const counters = environment[ENVIRONMENT.countersTable];
  const notCounted = (message: string) => (orgId: string, cause: unknown) =>
    logger.error(message, { org_id: orgId, cause: cause instanceof Error ? cause.name : 'unknown' });
  const counted = (table: string) =>
    withinInFlight(
      withinQuota(deliver, {
        hitPerDay: hitPerDay(dynamo, table),
        uncounted: notCounted('A request could not be counted against its quota'),
        now,
      }),
      {
        takeLease: inFlightLeases(dynamo, table, REQUESTS_IN_FLIGHT_PER_ORGANIZATION),
        leaseFailed: notCounted('A request could not be counted among those in flight'),
        now,
      },
    );
  const end = async () => {
    await endAttempts();
    // Publishing nothing would write a warning to the log with every invocation.
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return {
    logger,
    metrics,
    end,
    ports: {
      deliver: counters === undefined ? deliver : counted(counters),
      log: deliveryLog(dynamo, required(environment, ENVIRONMENT.deliveryLogTable), {
        retentionDays: Number(required(environment, ENVIRONMENT.deliveryLogRetentionDays)),
        now,
      }),
      logWriteFailed: logWriteFailed(logger, metrics),
      now,
      newId: randomUUID,
    },
    /** Runs one invocation to its end. */
    invocation: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work();
      } finally {
        await end();
      }
    },
  };
}
