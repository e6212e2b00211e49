import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS, METRICS_NAMESPACE } from '../contract/metrics.ts';
import type { Refusal } from '../domain/refusal.ts';

const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
/** Statuses of authentication, authorization and rate limits. Other refusals are errors in the caller's input and are not counted. */
const COUNTED: ReadonlySet<Refusal['status']> = new Set([401, 403, 429]);

/** Counts a refusal with one of these statuses by its code. */
export function countRefusal({ code, status }: Refusal): void {
  if (!COUNTED.has(status)) return;
  const one = metrics.singleMetric();
  one.addDimension('reason', code);
  one.addMetric(METRICS.refusals, MetricUnit.Count, 1);
}
