import type { DeliveryMessage } from '../../contract/queues.ts';
import { type Clock, unixSeconds } from '../sources.ts';
import type { AttemptResult } from './delivery-log.ts';
import { isRetried, retryDelaySeconds } from './retries.ts';

/** Seconds without a success after which an endpoint counts as failing. */
const FAILING_SECONDS = 3600;
/** Seconds after which an endpoint that keeps failing is signalled again. */
const SIGNAL_AGAIN_SECONDS = 24 * 3600;

/** The time since which deliveries to an endpoint fail, before the delivery log is searched for a success. Times in Unix seconds. */
export type FailurePeriod = {
  readonly since: number;
  readonly signalled_at: number | null;
  /** Sort key of the last record of the delivery log that was searched for a success; null before the first search. */
  readonly looked_to: string | null;
};

/** The data of the event `va-wave.endpoint.failing` on the bus. It is not in the catalog and is delivered to no Action. */
export type EndpointFailing = {
  readonly org_id: string;
  readonly site_id: string;
  readonly action_id: string;
  /** ISO 8601, UTC. */
  readonly failing_since: string;
  readonly failure_code: string;
};

export type WatchEndpointPorts = {
  /** Records a delivery that finally failed, in one write. Returns the failure period. */
  readonly recordFailure: (actionId: string, now: Date) => Promise<FailurePeriod>;
  /**
   * Searches a bounded number of records of the delivery log for a success that began at `since` (Unix seconds) or later. Returns
   * `unfinished` when there are more records; the next search continues where this one ended.
   */
  readonly lookForSuccess: (
    actionId: string,
    seen: FailurePeriod,
    since: number,
  ) => Promise<'found' | 'none' | 'unfinished'>;
  /** Restarts the failure period. Returns false when another caller has restarted it or claimed its signal before. */
  readonly restartFailurePeriod: (actionId: string, seen: FailurePeriod, now: Date) => Promise<boolean>;
  /** Returns true for exactly one of several concurrent callers. */
  readonly claimSignal: (actionId: string, seen: FailurePeriod, now: Date) => Promise<boolean>;
  readonly signal: (event: EndpointFailing) => Promise<void>;
  readonly now: Clock;
};

/**
 * Signals an endpoint to which every delivery has failed for an hour. Only a delivery that finally failed is recorded; a success writes
 * nothing. After an hour, each failed delivery searches a part of the delivery log, until a success is found or the log ends, so that
 * the work per delivery does not grow with the log. There is at most one signal per Action and day. A function that ends between the
 * claim and the signal loses this signal.
 */
export async function watchEndpoint(
  message: DeliveryMessage,
  result: Pick<AttemptResult, 'success' | 'status' | 'error'>,
  ports: WatchEndpointPorts,
): Promise<void> {
  if (result.success || result.error === null) return;
  // The endpoint has no part in these failures.
  if (result.error.code === 'quota_exceeded' || result.error.code === 'internal_error') return;
  const retried = isRetried({ code: result.error.code, status: result.status });
  if (retried && retryDelaySeconds(message.attempt) !== undefined) return;
  const { action_id, envelope } = message;
  const now = ports.now();
  const period = await ports.recordFailure(action_id, now);
  const { since, signalled_at } = period;
  const due = signalled_at === null ? since + FAILING_SECONDS : signalled_at + SIGNAL_AGAIN_SECONDS;
  if (unixSeconds(now) < due) return;
  switch (await ports.lookForSuccess(action_id, period, signalled_at ?? since)) {
    case 'found':
      await ports.restartFailurePeriod(action_id, period, now);
      return;
    case 'unfinished':
      return;
    case 'none':
      break;
  }
  if (!(await ports.claimSignal(action_id, period, now))) return;
  await ports.signal({
    org_id: envelope.org_id,
    site_id: envelope.site_id,
    action_id,
    failing_since: new Date(since * 1000).toISOString(),
    failure_code: result.error.code,
  });
}
