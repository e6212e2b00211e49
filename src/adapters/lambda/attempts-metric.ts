import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../../contract/metrics.ts';

/** Counts the attempts of an invocation by outcome, so that the log gets a line for each outcome instead of each attempt. */
export function attemptsMetric(metrics: Metrics) {
  const counts = new Map<string, number>();
  return {
    /** @param outcome `succeeded` or a failure code */
    count: (outcome: string): void => {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    },
    /** Writes what was counted, and begins anew. */
    publish: (): void => {
      for (const [outcome, count] of counts) {
        const one = metrics.singleMetric();
        one.addDimension('outcome', outcome);
        one.addMetric(METRICS.attempts, MetricUnit.Count, count);
      }
      counts.clear();
    },
  };
}
