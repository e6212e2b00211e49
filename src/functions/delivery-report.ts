import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../contract/metrics.ts';
import type { AttemptAndWatchPorts } from '../domain/delivery/attempt-and-watch.ts';
import type { Clock } from '../domain/sources.ts';
import { attemptsMetric } from './attempts-metric.ts';
import { errorName } from './thrown.ts';
import { unreachedOrganizations } from './unreached-organizations.ts';

/**
 * Reports the dispatcher's attempts to the operator: a log line and a count for each attempt, without the payload.
 * @returns a function that begins the report of an invocation
 */
export function deliveryReport(logger: Logger, metrics: Metrics, now: Clock) {
  const organizations = unreachedOrganizations(now);
  const countAttempts = attemptsMetric(metrics);
  return () => reportOf(countAttempts(), organizations, logger, metrics);
}

function reportOf(
  attempts: ReturnType<ReturnType<typeof attemptsMetric>>,
  organizations: ReturnType<typeof unreachedOrganizations>,
  logger: Logger,
  metrics: Metrics,
) {
  const attempted: AttemptAndWatchPorts['attempted'] = ({ envelope, action_id, attempt }, { outcome, result }) => {
    logger.info('Attempted', {
      event_id: envelope.id,
      org_id: envelope.org_id,
      site_id: envelope.site_id,
      action_id,
      attempt,
      outcome,
      status: result?.status,
      failure_code: result?.error?.code,
      latency_ms: result?.latency_ms,
    });
    if (result === null) return;
    organizations.attempted(envelope.org_id, result.error?.code);
    attempts.count({ outcome: result.error?.code ?? 'succeeded', attempt, latencyMs: result.latency_ms });
  };
  return {
    attempted,
    watchFailed: (cause: unknown): void =>
      logger.error('The check for a failing endpoint did not complete', {
        error: errorName(cause),
      }),
    /** Adds a log line and a metric to the signal of a failing endpoint, so that it is not lost when the bus does not accept it. */
    signalWith:
      (signal: AttemptAndWatchPorts['signal']): AttemptAndWatchPorts['signal'] =>
      async (event) => {
        metrics.addMetric(METRICS.endpointsFailing, MetricUnit.Count, 1);
        logger.warn('An endpoint has failed for an hour', { ...event });
        await signal(event);
      },
    /** Emits the metrics of an invocation. */
    publish: (): void => {
      attempts.publish();
      const share = organizations.share();
      if (share !== undefined) metrics.addMetric(METRICS.unreachedOrganizations, MetricUnit.NoUnit, share);
    },
  };
}
