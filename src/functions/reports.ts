import type { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { FailureCode } from '../contract/delivery-record.ts';
import { METRICS, METRICS_NAMESPACE } from '../deployment/metrics.ts';
import { BoundedMap } from '../domain/bounded-map.ts';
import type { DeliverEventPorts } from '../domain/delivery/deliver-event.ts';
import type { LogWriteFailed } from '../domain/delivery/delivery-log.ts';
import type { RouteMessagePorts } from '../domain/events/route-event.ts';
import type { UnreadableAction } from '../domain/organizations/store.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../domain/sources.ts';
import { errorName } from './shell.ts';

/** The metrics of what belongs to no batch: refusals and omissions. */
const ownMetrics = new Metrics({ namespace: METRICS_NAMESPACE });

/**
 * Reports the dispatcher's attempts to the operator: a count for each attempt, and a log line without the payload for each that did not succeed.
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
  const attempted: DeliverEventPorts['report']['attempted'] = (
    { envelope, action_id, attempt },
    { outcome, result },
  ) => {
    // A success has its record in the delivery log, and a line of it would cost more than that record.
    if (!result?.success) {
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
    }
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
      (signal: DeliverEventPorts['signal']): DeliverEventPorts['signal'] =>
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

type CountedAttempt = {
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
function attemptsMetric(metrics: Metrics) {
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

/** Counts the failed messages of a batch; its metrics are one line of the log. */
export const countFailed =
  (metrics: Metrics) =>
  (throttled: boolean): void =>
    void metrics.addMetric(throttled ? METRICS.deliveriesThrottled : METRICS.failedMessages, MetricUnit.Count, 1);

/** Emits what an invocation has counted. Without the check, an invocation without metrics would log a warning. */
export function publish(metrics: Metrics): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/** Failures that the network, resolver or certificates of this service can cause. The endpoint sent no response. */
const NOT_REACHED: ReadonlySet<FailureCode> = new Set(['dns_failure', 'connect_failure', 'tls_failure', 'timeout']);
const REACHED_WITHIN_MS = 300_000;
/** With fewer organizations, the broken endpoint of one customer would look like a broken network of this service. */
const ORGANIZATIONS_MIN = 3;
/** A container removes the organization that it has not seen for the longest time. The share needs no more organizations. */
const ORGANIZATIONS_MAX = 1000;

/**
 * Tracks which organizations have an endpoint that was reached in the last five minutes.
 * Each organization counts once, even when many of its endpoints fail, so that one customer cannot raise the alarm.
 */
export function unreachedOrganizations(now: Clock) {
  const lastSeen = new BoundedMap<string, { readonly at: number; readonly reachedAt: number }>(ORGANIZATIONS_MAX);
  return {
    attempted: (orgId: string, failure: FailureCode | undefined): void => {
      const at = now().getTime();
      const reached = failure === undefined || !NOT_REACHED.has(failure);
      const reachedAt = reached ? at : (lastSeen.get(orgId)?.reachedAt ?? Number.NEGATIVE_INFINITY);
      lastSeen.set(orgId, { at, reachedAt });
    },
    /** Returns the share of unreached organizations, from 0 to 1; undefined for fewer than three organizations. */
    share: (): number | undefined => {
      const since = now().getTime() - REACHED_WITHIN_MS;
      for (const [orgId, { at }] of lastSeen) if (at < since) lastSeen.delete(orgId);
      if (lastSeen.size < ORGANIZATIONS_MIN) return undefined;
      const unreached = [...lastSeen.values()].filter(({ reachedAt }) => reachedAt < since);
      return unreached.length / lastSeen.size;
    },
  };
}

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

/**
 * What the event-router tells the operator: a line for each event that reaches no Action, without its data, and counts of those that never can. An
 * event that reaches one has its record in the delivery log.
 */
export function routingReport(logger: Logger, metrics: Metrics): RouteMessagePorts['report'] {
  return {
    routed: ({ id, 'detail-type': event, detail: { org_id, site_id } }, { deliveries, unknown }) => {
      const line = { event_id: id, event, org_id, site_id, deliveries };
      if (unknown === undefined) {
        if (deliveries === 0) logger.info('No Action is subscribed to an event', line);
        return;
      }
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

const REFUSAL_PERIOD_MS = 60_000;
/** Lines per container and minute, so that a caller who is refused often cannot fill the log. */
const REFUSAL_LINES_MAX = 60;
/**
 * Creates a function that logs refusals with code, status and route; the logger adds the site when it is known. It logs nothing about the
 * visitor or the request. It writes at most one line per minute for the same code, route and site. All requests whose site is not known
 * share a line, so that made-up ids silence no other line.
 */
export function refusalLog(logger: Logger, now: Clock) {
  let from = Number.NEGATIVE_INFINITY;
  let logged = new Set<string>();
  return ({ code, status }: Refusal, route: string, siteId: string | undefined): void => {
    const at = now().getTime();
    if (at - from >= REFUSAL_PERIOD_MS) {
      from = at;
      logged = new Set();
    }
    const key = [code, route, siteId].join(' ');
    if (logged.has(key) || logged.size >= REFUSAL_LINES_MAX) return;
    logged.add(key);
    logger.info('Refused', { code, status, route });
  };
}

/** Statuses of authentication, authorization and rate limits. Other refusals are errors in the caller's input and are not counted. */
const COUNTED: ReadonlySet<Refusal['status']> = new Set([401, 403, 429]);

/** Counts a refusal with one of these statuses by its code. */
export function countRefusal({ code, status }: Refusal): void {
  if (!COUNTED.has(status)) return;
  const one = ownMetrics.singleMetric();
  one.addDimension('reason', code);
  one.addMetric(METRICS.refusals, MetricUnit.Count, 1);
}

/** Writes a line to the log and counts a metric for each Action that an answer omits because it cannot be read. */
export function reportUnreadable(logger: Logger): (action: UnreadableAction) => void {
  return ({ action_id, cause }) => {
    logger.error('An Action cannot be read', { action_id, error: cause });
    ownMetrics.singleMetric().addMetric(METRICS.unreadableActions, MetricUnit.Count, 1);
  };
}
