import type { Logger } from '@aws-lambda-powertools/logger';
import type { LogAttributes } from '@aws-lambda-powertools/logger/types';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type AttemptResult, type FailureCode, failureCodeOf } from '../contract/delivery-record.ts';
import { METRICS, METRICS_NAMESPACE } from '../deployment/metrics.ts';
import { BoundedMap } from '../domain/bounded-map.ts';
import type { Fact, FactOf } from '../domain/facts.ts';
import type { RefusalFacts } from '../domain/refusal.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Clock } from '../domain/sources.ts';
import { setting } from './settings.ts';

/** A line of the log. @default shown: the ids and the cause of the fact */
type Line = readonly [level: 'info' | 'warn' | 'error', message: string, shown?: LogAttributes];

/** A line that is the same for every fact of a kind, and the metric that counts them, or null. */
type SameLine = readonly [level: Line[0], message: string, metric: string | null];

const SAME_LINES = {
  send_failed: ['error', 'The service could not make a request', null],
  record_unqueued: ['error', 'A delivery record cannot be completed later', null],
  request_uncounted: ['error', 'A request could not be counted against a limit of its organization', null],
  endpoint_failing: ['warn', 'An endpoint has failed for an hour', METRICS.endpointsFailing],
  watch_failed: ['error', 'The check for a failing endpoint did not complete', null],
  event_dropped: ['error', 'An event was dropped: its publisher must correct the field', METRICS.eventsDropped],
  form_forwarded: ['info', 'Forwarded a form submission', null],
  forward_failed: ['error', 'A form submission could not be forwarded', null],
  submission_unsettled: ['error', 'The outcome of a form submission could not be stored', null],
  call_unrecorded: ['error', 'A call could not be recorded with its conversation', null],
  action_unreadable: ['error', 'An Action cannot be read', METRICS.unreadableActions],
  assistant_unreadable: ['error', 'An assistant cannot be read', null],
  organization_unreadable: ['error', 'A part of an organization cannot be read', null],
  request_failed: ['error', 'The request failed', METRICS.failedRequests],
  invocation_failed: ['error', 'The invocation failed', null],
  message_failed: ['error', 'A message failed and becomes visible again', METRICS.failedMessages],
  message_unhidden: ['error', 'The visibility of a message could not be changed', null],
  token_keys_rotated: ['info', 'Rotated the token keys', null],
} satisfies Partial<Record<Fact['kind'], SameLine>>;

/** Statuses of authentication, authorization and rate limits. Other refusals are errors in the caller's input and are not counted. */
const COUNTED_STATUSES: ReadonlySet<FactOf<'request_refused'>['status']> = new Set([401, 403, 429]);

/** Each further fact of a refusal is counted by a dimension, or has null. */
type RefusalDimensions = Readonly<Record<keyof RefusalFacts, string | null | undefined>>;

const WAIT_MESSAGES: Readonly<Record<FactOf<'message_waits'>['why'], string>> = {
  in_progress: 'A message becomes visible again after the attempt in progress',
  throttled: 'A message becomes visible again later, because DynamoDB throttled its requests',
};

/**
 * Tells the operator the facts of a function: each becomes a line of its log, a metric, both or neither. Lines have the ids of the fact and the
 * class, code and place of its cause.
 * @returns a function that begins the report of an invocation. `publish` emits its metrics; call it at the end.
 */
export function factReporter(logger: Logger, now: Clock) {
  /** Powertools writes into the store of an invocation, which does not exist while Lambda Managed Instances import the function. */
  let storedMetrics: ReturnType<typeof newMetrics> | undefined;
  const organizations = unreachedOrganizations(now);
  const hasLine = refusalLines(now);

  return () => {
    storedMetrics ??= newMetrics();
    const { metrics, countedBy } = storedMetrics;
    const attempts = countedBy(METRICS.attempts);
    const count = (name: string, value = 1) => metrics.addMetric(name, MetricUnit.Count, value);

    const lineOf = (fact: Fact): Line | null => {
      switch (fact.kind) {
        case 'attempt_made': {
          const { kind, result, ...ids } = fact;
          if (result !== null) {
            const { latency_ms } = result;
            const failure = failureCodeOf(result);
            if (!fact.is_test) organizations.attempted(fact.org_id, failure);
            attempts.add('outcome', failure ?? 'succeeded');
            // Only an event has further attempts. Each dimension is a line of the log, which costs money.
            if (fact.trigger === 'event' && !fact.is_test) attempts.add('attempt', String(fact.attempt));
            else attempts.add('trigger', fact.trigger);
            if (latency_ms !== null) metrics.addMetric(METRICS.attemptLatency, MetricUnit.Milliseconds, latency_ms);
          }
          // A success has its record in the delivery log, and a line of it would cost more than that record.
          return result?.success ? null : ['info', 'Attempted', { ...ids, ...shownResult(result) }];
        }
        case 'record_lost': {
          const { kind, result, cause, ...ids } = fact;
          const record_state = result === null ? 'started' : result.success ? 'succeeded' : 'failed';
          count(METRICS.logWriteFailed);
          const shown = { ...ids, record_state, ...shownResult(result), cause: causeOf(cause) };
          return ['error', 'A delivery record could not be written', shown];
        }
        case 'event_routed': {
          const { kind, unknown: field, ...shownFact } = fact;
          if (field !== undefined) {
            count(METRICS.eventsOfNobody);
            const message = 'An event names an organization or an assistant that does not exist';
            return ['warn', message, { ...shownFact, field }];
          }
          // An event that reaches an Action has its record in the delivery log.
          return fact.deliveries > 0 ? null : ['info', 'No Action is subscribed to an event', shownFact];
        }
        case 'request_refused': {
          const { kind, site_id, ...shownFact } = fact;
          const { code, status, route, token_problem } = shownFact;
          const refusals = countedBy(METRICS.refusals);
          if (COUNTED_STATUSES.has(status)) refusals.once('reason', code);
          const dimensions: RefusalDimensions = { token_problem };
          for (const [dimension, value] of Object.entries(dimensions)) if (value) refusals.once(dimension, value);
          // The logger adds the site. A direct invocation has no route and no line, because its caller gets the refusal as its result.
          const isShown = route !== undefined && hasLine([...Object.values(shownFact).map(String), site_id]);
          return isShown ? ['info', 'Refused', shownFact] : null;
        }
        case 'message_waits':
          if (fact.why === 'throttled') count(METRICS.deliveriesThrottled);
          return ['info', WAIT_MESSAGES[fact.why]];
        case 'canary_ran':
          count(METRICS.canaryFailed, fact.success ? 0 : 1);
          return fact.success ? null : ['error', 'The canary failed'];
        case 'token_key_age':
          metrics.addMetric(METRICS.tokenKeyAge, MetricUnit.NoUnit, fact.days);
          return null;
        default: {
          const [level, message, metric]: SameLine = SAME_LINES[fact.kind];
          if (metric !== null) count(metric);
          return [level, message];
        }
      }
    };

    return {
      reportFact: (fact: Fact): void => {
        const [level, message, shown = shownOf(fact)] = lineOf(fact) ?? [];
        if (level !== undefined && message !== undefined) logger[level](message, shown);
      },
      publish: (): void => {
        attempts.publish();
        const share = organizations.share();
        if (share !== undefined) metrics.addMetric(METRICS.unreachedOrganizations, MetricUnit.NoUnit, share);
        // Without the check, an invocation without metrics would log a warning.
        if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
      },
    };
  };
}

function newMetrics() {
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: setting('metricsService') });
  return { metrics, countedBy: metricByDimension(metrics) };
}

function shownOf({ kind, ...shown }: Fact): LogAttributes {
  return 'cause' in shown ? { ...shown, cause: causeOf(shown.cause) } : shown;
}

const shownResult = (result: AttemptResult | null) =>
  result === null
    ? {}
    : { status: result.status, failure_code: result.error?.code ?? null, latency_ms: result.latency_ms };

type Cause = {
  /** The class of the error, or the type of a thrown value that is no error. */
  readonly error: string;
  readonly code?: string;
  /** Only the message of a ServiceError, which quotes no content. */
  readonly message?: string;
  readonly at?: readonly string[];
  readonly cause?: Cause;
};

const PLACES = 5;
/** Errors in a line: the one that was thrown, its cause, and so on. A cause may lead back to its own error. */
const CAUSES = 5;

/**
 * Returns an error by its class, code and place. Its message is left out, because it may quote content: that of a SyntaxError quotes the text.
 * Of a thrown value that is no error, nothing is known.
 */
export function causeOf(thrownValue: unknown, causesLeft = CAUSES - 1): Cause {
  if (!(thrownValue instanceof Error)) return { error: typeof thrownValue };
  const { name, message, stack = '', cause } = thrownValue;
  // The stack begins with the message as it was when the error was made. Only what follows it is known to be places.
  const end = stack.indexOf(message);
  const at = end === -1 ? [] : stack.slice(end + message.length).match(/^ +at .*$/gm);
  return {
    error: name,
    code: 'code' in thrownValue && typeof thrownValue.code === 'string' ? thrownValue.code : undefined,
    message: thrownValue instanceof ServiceError ? message : undefined,
    at: at?.slice(0, PLACES).map((place) => place.trim()),
    cause: cause === undefined || causesLeft === 0 ? undefined : causeOf(cause, causesLeft - 1),
  };
}

/** Counts by a dimension, so that the log has one line for each value of it instead of one for each count. */
function metricByDimension(metrics: Metrics) {
  // Used again for each value, because creating one costs a tenth of a millisecond. Each value with a dimension is a line of the log.
  const one = metrics.singleMetric();
  return (name: string) => {
    const counts = new Map<string, Map<string, number>>();
    const emit = (dimension: string, value: string, times: number) => {
      one.addDimension(dimension, value);
      one.addMetric(name, MetricUnit.Count, times);
    };
    return {
      once: (dimension: string, value: string): void => emit(dimension, value, 1),
      add: (dimension: string, value: string): void => {
        const values = counts.get(dimension) ?? new Map<string, number>();
        counts.set(dimension, values.set(value, (values.get(value) ?? 0) + 1));
      },
      publish: (): void => {
        for (const [dimension, values] of counts) for (const [value, times] of values) emit(dimension, value, times);
      },
    };
  };
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

/** Time in milliseconds in which the same refusal has one line. */
const REFUSAL_PERIOD_MS = 60_000;
/** Lines per container and minute, so that a caller who is refused often cannot fill the log. */
const REFUSAL_LINES_MAX = 60;

/**
 * Returns what decides whether a refusal gets a line: at most one per minute for the same code, route and site. All requests whose site is not known
 * share a line, so that made-up ids silence no other line.
 */
function refusalLines(now: Clock) {
  let from = Number.NEGATIVE_INFINITY;
  let loggedRefusals = new Set<string>();
  return (parts: readonly (string | undefined)[]): boolean => {
    const at = now().getTime();
    if (at - from >= REFUSAL_PERIOD_MS) {
      from = at;
      loggedRefusals = new Set();
    }
    const key = parts.join(' ');
    if (loggedRefusals.has(key) || loggedRefusals.size >= REFUSAL_LINES_MAX) return false;
    loggedRefusals.add(key);
    return true;
  };
}
