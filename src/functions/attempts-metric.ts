import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../contract/metrics.ts';

export type CountedAttempt = {
  /** `succeeded` or a failure code. */
  readonly outcome: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly latencyMs: number | null;
};

/**
 * Counts the attempts of each invocation, so that the log has one line for each outcome and number instead of one for each attempt.
 * @returns a function that begins an invocation
 */
export function attemptsMetric(metrics: Metrics) {
  // A single metric that is used again. Each of its values is a line of the log. Creating one costs a tenth of a millisecond.
  const one = metrics.singleMetric();
  return () => {
    const counts = { outcome: new Map<string, number>(), attempt: new Map<string, number>() };
    const add = (dimension: keyof typeof counts, value: string) =>
      counts[dimension].set(value, (counts[dimension].get(value) ?? 0) + 1);
    return {
      count: ({ outcome, attempt, latencyMs }: CountedAttempt): void => {
        add('outcome', outcome);
        add('attempt', String(attempt));
        if (latencyMs !== null) metrics.addMetric(METRICS.attemptLatency, MetricUnit.Milliseconds, latencyMs);
      },
      /** Emits the counts. The latencies are emitted with the other metrics of the invocation. */
      publish: (): void => {
        for (const [dimension, values] of Object.entries(counts)) {
          for (const [value, count] of values) {
            one.addDimension(dimension, value);
            one.addMetric(METRICS.attempts, MetricUnit.Count, count);
          }
        }
      },
    };
  };
}
