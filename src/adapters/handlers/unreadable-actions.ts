import type { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, METRICS_NAMESPACE } from '../../contract/metrics.ts';
import type { UnreadableAction } from '../../domain/organizations/store.ts';

const metrics = new Metrics({ namespace: METRICS_NAMESPACE });

/** Writes a line to the log and counts a metric for each Action that an answer omits because it cannot be read. */
export function reportUnreadable(logger: Logger): (action: UnreadableAction) => void {
  return ({ action_id, cause }) => {
    logger.error('An Action cannot be read', { action_id, error: cause });
    metrics.singleMetric().addMetric(METRICS.unreadableActions, MetricUnit.Count, 1);
  };
}
