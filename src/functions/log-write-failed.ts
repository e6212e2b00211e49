import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../contract/metrics.ts';
import type { LogWriteFailed } from '../domain/delivery/delivery-log.ts';
import { errorName } from './thrown.ts';

/** Reports a delivery record that could not be written: one log line without payload and response, and a count. */
export function logWriteFailed(logger: Logger, metrics: Metrics): LogWriteFailed {
  return (key, result, cause) => {
    logger.error('A delivery record could not be written', {
      action_id: key.action_id,
      reference: key.reference,
      attempt: key.attempt,
      replay: key.replay,
      at: key.at,
      ...(result === null
        ? { record_state: 'started' }
        : {
            record_state: result.success ? 'succeeded' : 'failed',
            status: result.status,
            latency_ms: result.latency_ms,
            failure_code: result.error?.code ?? null,
          }),
      cause: errorName(cause),
    });
    metrics.addMetric(METRICS.logWriteFailed, MetricUnit.Count, 1);
  };
}
