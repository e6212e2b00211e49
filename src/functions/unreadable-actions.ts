import type { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, METRICS_NAMESPACE } from '../contract/metrics.ts';
import type { ListToolsPorts } from '../domain/actions/call-tool.ts';
import type { UnreadableAction } from '../domain/organizations/store.ts';

const metrics = new Metrics({ namespace: METRICS_NAMESPACE });

/** Writes a line to the log and counts a metric for each Action that an answer omits because it cannot be read. */
export function reportUnreadable(logger: Logger): (action: UnreadableAction) => void {
  return ({ action_id, cause }) => {
    logger.error('An Action cannot be read', { action_id, error: cause });
    metrics.singleMetric().addMetric(METRICS.unreadableActions, MetricUnit.Count, 1);
  };
}

/** Writes a line to the log and counts a metric for each Action that a list of tools omits because of the names of its parameters. */
export function reportNotListed(logger: Logger): ListToolsPorts['notListed'] {
  return ({ action_id, site_id }, parameters) => {
    logger.error('A tool is not listed: model APIs refuse names of its parameters', { action_id, site_id, parameters });
    metrics.singleMetric().addMetric(METRICS.toolsNotListed, MetricUnit.Count, 1);
  };
}
