import type { FailureCode } from '../../contract/delivery-record.ts';
import type { DeliveryMessage } from '../../contract/queues.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../facts.ts';
import { unixSeconds } from '../sources.ts';

/** Seconds without a success after which an endpoint counts as failing. */
const FAILING_SECONDS = 3600;
/** Seconds after which an endpoint that keeps failing is signalled again. */
const SIGNAL_AGAIN_SECONDS = 24 * 3600;

/**
 * Records a delivery that finally failed, and signals an endpoint to which every delivery has failed for an hour. A success writes nothing:
 * after the hour, a failed delivery samples the delivery log. A success there restarts the period, and without one the endpoint is signalled,
 * at most once per Action and day. When the answer of `replacePeriod` is lost or the function ends before the signal, this signal is lost.
 */
export async function signalFailingEndpoint(
  message: DeliveryMessage,
  failure: FailureCode,
  { failurePeriods, publishFailing }: Context<'failurePeriods' | 'publishFailing'>,
  invocation: Invocation,
): Promise<void> {
  // The endpoint has no part in these failures.
  if (failure === 'quota_exceeded' || failure === 'internal_error') return;
  const { action_id, envelope } = message;
  const now = invocation.now();
  const period = await failurePeriods.recordFailure(action_id, now);
  const { since, signalled_at } = period;
  const due = signalled_at === null ? since + FAILING_SECONDS : signalled_at + SIGNAL_AGAIN_SECONDS;
  if (unixSeconds(now) < due) return;
  const hasSucceeded = await failurePeriods.hasSucceeded(action_id, signalled_at ?? since, now);
  const next = hasSucceeded
    ? { since: unixSeconds(now), signalled_at: null }
    : { since, signalled_at: unixSeconds(now) };
  if (!(await failurePeriods.replacePeriod(action_id, period, next)) || hasSucceeded) return;
  const failingEndpoint = {
    org_id: envelope.org_id,
    site_id: envelope.site_id,
    action_id,
    failing_since: new Date(since * 1000).toISOString(),
    failure_code: failure,
  };
  // First, so that the signal is not lost when the bus does not accept it.
  invocation.reportFact({ kind: 'endpoint_failing', ...failingEndpoint });
  await publishFailing(failingEndpoint);
}
