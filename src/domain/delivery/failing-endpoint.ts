import type { FailureCode } from '../../contract/delivery-record.ts';
import type { DeliveryMessage } from '../../contract/queues.ts';
import { type Clock, unixSeconds } from '../sources.ts';

/** Seconds without a success after which an endpoint counts as failing. */
const FAILING_SECONDS = 3600;
/** Seconds after which an endpoint that keeps failing is signalled again. */
const SIGNAL_AGAIN_SECONDS = 24 * 3600;

/** The time since which deliveries to an endpoint fail, and that of its latest signal. In Unix seconds. */
export type FailurePeriod = { readonly since: number; readonly signalled_at: number | null };

/** The data of the event `va-wave.endpoint.failing` on the bus. It is not in the catalog and is delivered to no Action. */
export type EndpointFailing = {
  readonly org_id: string;
  readonly site_id: string;
  readonly action_id: string;
  /** ISO 8601, UTC. */
  readonly failing_since: string;
  readonly failure_code: string;
};

export type FailurePeriods = {
  /** Records a delivery that finally failed, in one write. Returns the failure period. */
  readonly recordFailure: (actionId: string, now: Date) => Promise<FailurePeriod>;
  /** Looks at a hundred records of the delivery log at most, spread over the time from `since` (Unix seconds) on, for a success. */
  readonly hasSucceeded: (actionId: string, since: number, now: Date) => Promise<boolean>;
  /** Replaces the period that was read. Returns true for exactly one of several concurrent callers. */
  readonly replacePeriod: (actionId: string, seen: FailurePeriod, next: FailurePeriod) => Promise<boolean>;
};

export type WatchEndpointPorts = {
  readonly failurePeriods: FailurePeriods;
  readonly signal: (event: EndpointFailing) => Promise<void>;
  readonly now: Clock;
};

/**
 * Records a delivery that finally failed, and signals an endpoint to which every delivery has failed for an hour. A success writes nothing:
 * after the hour, a failed delivery samples the delivery log. A success there restarts the period, and without one the endpoint is signalled,
 * at most once per Action and day. When the claim's answer is lost or the function ends before the signal, this signal is lost.
 */
export async function signalFailingEndpoint(
  message: DeliveryMessage,
  failure: FailureCode,
  ports: WatchEndpointPorts,
): Promise<void> {
  // The endpoint has no part in these failures.
  if (failure === 'quota_exceeded' || failure === 'internal_error') return;
  const { action_id, envelope } = message;
  const now = ports.now();
  const period = await ports.failurePeriods.recordFailure(action_id, now);
  const { since, signalled_at } = period;
  const due = signalled_at === null ? since + FAILING_SECONDS : signalled_at + SIGNAL_AGAIN_SECONDS;
  if (unixSeconds(now) < due) return;
  const succeeded = await ports.failurePeriods.hasSucceeded(action_id, signalled_at ?? since, now);
  const next = succeeded ? { since: unixSeconds(now), signalled_at: null } : { since, signalled_at: unixSeconds(now) };
  if (!(await ports.failurePeriods.replacePeriod(action_id, period, next)) || succeeded) return;
  await ports.signal({
    org_id: envelope.org_id,
    site_id: envelope.site_id,
    action_id,
    failing_since: new Date(since * 1000).toISOString(),
    failure_code: failure,
  });
}
