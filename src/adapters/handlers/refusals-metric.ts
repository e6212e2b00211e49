import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, METRICS_NAMESPACE, METRICS_SERVICE } from '../../contract/metrics.ts';
import type { Refusal } from '../../domain/refusal.ts';

const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
/** Who it is, and how often; what is asked for is the caller's business. */
const COUNTED: ReadonlySet<Refusal['status']> = new Set([401, 403, 429]);

/** Counts a refusal by its code, if it is one of somebody who is not let in or asks too often. */
export function countRefusal({ code, status }: Refusal): void {
  if (!COUNTED.has(status)) return;
  const one = metrics.singleMetric();
  one.addDimension('reason', code);
  one.addMetric(METRICS.refusals, MetricUnit.Count, 1);
}
