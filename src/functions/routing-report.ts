import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../contract/metrics.ts';
import type { RouteMessagePorts } from '../domain/events/route-message.ts';

/** What the event-router tells the operator: a line for each event, without its data, and counts of those that can reach no Action. */
export function routingReport(logger: Logger, metrics: Metrics): Pick<RouteMessagePorts, 'routed' | 'dropped'> {
  return {
    routed: ({ id, 'detail-type': event, detail: { org_id, site_id } }, { deliveries, unknown }) => {
      const line = { event_id: id, event, org_id, site_id, deliveries };
      if (unknown === undefined) return logger.info('Routed', line);
      logger.warn('An event names an organization or an assistant that does not exist', { ...line, field: unknown });
      metrics.singleMetric().addMetric(METRICS.eventsOfNobody, MetricUnit.Count, 1);
    },
    dropped: (messageId, { id, 'detail-type': event, source, account }, field) => {
      const line = { message_id: messageId, event_id: id, event, source, account, field };
      logger.error('An event was dropped: its publisher must correct the field', line);
      metrics.singleMetric().addMetric(METRICS.eventsDropped, MetricUnit.Count, 1);
    },
  };
}
