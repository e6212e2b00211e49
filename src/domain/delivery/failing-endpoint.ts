import type { DeliveryMessage } from '../../contract/queues.ts';
import { type Clock, unixSeconds } from '../sources.ts';
import type { AttemptResult } from './delivery-log.ts';
import { isRetried, pauseAfter } from './retries.ts';

/** After so long without a success an endpoint is said to fail. */
const FAILING_SECONDS = 3600;
/** One that goes on failing is named again after this. */
const SIGNAL_AGAIN_SECONDS = 24 * 3600;

/** Since when deliveries to an endpoint fail, as far as is known without asking for successes. Unix seconds. */
export type FailurePeriod = {
  readonly since: number;
  readonly signalled_at: number | null;
  /** Sort key of the last record of the delivery log that was looked at for a success; null before the first look. */
  readonly looked_to: string | null;
};

/** What goes on the bus under `va-wave.endpoint.failing`: no catalog event, and delivered to no Action. */
export type EndpointFailing = {
  readonly org_id: string;
  readonly site_id: string;
  readonly action_id: string;
  /** ISO 8601, UTC. */
  readonly failing_since: string;
  readonly failure_code: string;
};

export type WatchEndpointPorts = {
  /** Notes a delivery that failed for good, in one write. */
  readonly recordFailure: (actionId: string, now: Date) => Promise<FailurePeriod>;
  /**
   * Looks through the next records of the delivery log, a bounded number, for a success that began at `since` (unix seconds) or later.
   * `unfinished` when there are more records: the next look goes on where this one ended.
   */
  readonly lookForSuccess: (
    actionId: string,
    seen: FailurePeriod,
    since: number,
  ) => Promise<'found' | 'none' | 'unfinished'>;
  /** The period begins anew; false when another did that, or signalled, before. */
  readonly restartFailurePeriod: (actionId: string, seen: FailurePeriod, now: Date) => Promise<boolean>;
  /** True for one caller. */
  readonly claimSignal: (actionId: string, seen: FailurePeriod, now: Date) => Promise<boolean>;
  readonly signal: (event: EndpointFailing) => Promise<void>;
  readonly now: Clock;
};

/**
 * Signals an endpoint to which every delivery has failed for an hour. Successes write nothing: only a delivery that failed for good
 * notes it. After an hour each such delivery looks through a part of the delivery log, until a success is found or the log ends: the
 * work per delivery does not grow with the log. At most one signal per Action and day; a function that ends between claiming and
 * sending it loses that one.
 */
export async function watchEndpoint(
  message: DeliveryMessage,
  result: Pick<AttemptResult, 'success' | 'status' | 'error'>,
  ports: WatchEndpointPorts,
): Promise<void> {
  if (result.success || result.error === null) return;
  // The endpoint was not asked.
  if (result.error.code === 'quota_exceeded') return;
  const retried = isRetried({ code: result.error.code, status: result.status });
  if (retried && pauseAfter(message.attempt) !== undefined) return;
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
