import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../../contract/metrics.ts';
import type { RouteMessagePorts } from '../../domain/events/route-message.ts';

/** What the event-router tells the operator: a line for each event, without its data, and a count of those that were dropped. */
export function routingReport(logger: Logger, metrics: Metrics): Pick<RouteMessagePorts, 'routed' | 'dropped'> {
  return {
    routed: ({ id, 'detail-type': event, detail: { org_id, site_id } }, deliveries) =>
      logger.info('Routed', { event_id: id, event, org_id, site_id, deliveries }),
    dropped: (messageId) => {
      logger.error('An event without a proper org_id or data was dropped', { message_id: messageId });
      metrics.singleMetric().addMetric(METRICS.eventsDropped, MetricUnit.Count, 1);
    },
  };
}
