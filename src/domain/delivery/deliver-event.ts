import type { Action } from '../../contract/actions.ts';
import { type AttemptResult, type FailureCode, failureCodeOf } from '../../contract/delivery-record.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import type { DeliveryMessage, NotCarried, Received } from '../../contract/queues.ts';
import type { AttemptOutcome, AttemptStart, Context, StandingAttempt } from '../context.ts';
import type { FactOf, Invocation } from '../facts.ts';
import { ServiceError } from '../service-error.ts';
import { actionPayload, actionRequest, quotaOf } from './action-request.ts';
import { completeRecord, EXCERPT_BYTES, resultOf, sendAndReportFault } from './delivery-log.ts';
import { signalFailingEndpoint } from './failing-endpoint.ts';
import { retryDelay } from './outcome.ts';

/**
 * The delivery of an event to one Action, from a message of the deliveries queue on (docs/decisions/0003): read the Action, claim the attempt,
 * sign and send its request, complete the record, schedule the retry, signal an endpoint that keeps failing.
 */

type AttemptContext = Context<'findAction' | 'openSigningSecret' | 'send' | 'deliveryLog' | 'queue'>;

/** What became of a message (Fact `attempt_made`). */
export type AttemptSummary = Pick<FactOf<'attempt_made'>, 'outcome' | 'result'> & {
  readonly finalFailure?: FailureCode;
};

/** Another invocation may still be making this attempt. The message must stay invisible until that attempt has ended. */
export class AttemptInProgress extends ServiceError {
  override readonly name = 'AttemptInProgress';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Another invocation is making this attempt');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Handles one message of the deliveries queue: makes its attempt, and then checks whether its endpoint keeps failing. The attempt is
 * already recorded at that time, so an error of the check is only reported and the message is not delivered again.
 * @throws the errors of the attempt
 */
export async function deliverEvent(
  { message }: Received<DeliveryMessage>,
  context: AttemptContext & Context<'failurePeriods' | 'publishFailing'>,
  invocation: Invocation,
): Promise<void> {
  const { action_id, attempt, envelope } = message;
  const { id: event_id, org_id, site_id } = envelope;
  const { finalFailure, ...summary } = await deliverMessage(message, context, invocation);
  const ids = {
    trigger: 'event',
    reference: event_id,
    org_id,
    site_id,
    action_id,
    attempt,
    is_test: undefined,
  } as const;
  invocation.reportFact({ kind: 'attempt_made', ...ids, ...summary });
  if (finalFailure === undefined) return;
  await signalFailingEndpoint(message, finalFailure, context, invocation).catch((cause: unknown) =>
    invocation.reportFact({ kind: 'watch_failed', event_id, action_id, cause }),
  );
}

/**
 * Makes one attempt of an Event delivery (spec "States": event delivery). The record is written before the request, so that every request has
 * one, also after a crash. A failure of the customer's endpoint is an outcome and never an exception.
 * @throws AttemptInProgress; Error when storage or queue failed: then nothing was sent, or only the retry message is missing. In all
 * cases SQS must deliver the message again.
 */
export async function deliverMessage(
  message: DeliveryMessage,
  context: AttemptContext,
  invocation: Invocation,
): Promise<AttemptSummary> {
  if (message.unrecorded_result !== undefined)
    return recordResult(message, message.unrecorded_result, context, invocation);
  const action = await context.findAction(message.envelope.org_id, message.action_id);
  const payload = action === undefined ? null : actionPayload(action, message.envelope);
  const start = startOf(message, payload, invocation);
  if (action === undefined || !action.enabled || action.suspended) {
    const standingAttempt = await recordUnsent(start, action, context);
    if (standingAttempt !== undefined) await finishStanding(message, standingAttempt, context, invocation);
    return { outcome: 'unsent', result: null };
  }

  // Before the claim, so that a fault of the service leaves no record of a request that was never sent.
  const signingSecret = await context.openSigningSecret(action);
  const claim = await context.deliveryLog.claim(start);
  if (claim.kind === 'in_progress' || claim.kind === 'finished') {
    await finishStanding(message, claim, context, invocation);
    return { outcome: 'taken', result: null };
  }
  const signedInput = { payload, triggerRef: message.envelope.event, signingSecret, now: invocation.now() };
  const request = actionRequest(action, signedInput);
  const policy = {
    quota: quotaOf(action),
    // A changed Action has a new version, so it does not use a connection from before the change.
    connectionKey: `${action.action_id} ${action.version}`,
    keepBytes: EXCERPT_BYTES,
  };
  const result = resultOf(await sendAndReportFault(start, request, policy, context, invocation));
  // Before the retry: after a crash in between, the record is finished and nothing is sent again.
  const isRecorded = await completeRecord(start, result, context, invocation);
  const isRetried = await scheduleRetry(message, result, context, invocation);
  // Not before the retry: when that cannot be queued, the message comes again and its request is repeated, with another outcome perhaps.
  if (!isRecorded) await recordLater(message, start, result, context, invocation);
  const failure = failureCodeOf(result);
  if (failure === undefined) return { outcome: 'succeeded', result };
  return { outcome: 'failed', result, finalFailure: isRetried ? undefined : failure };
}

/** Records why an attempt is not made. Returns one that has ended, or may still be made. @param action undefined for a deleted one */
function recordUnsent(
  start: AttemptStart,
  action: Pick<Action, 'suspended'> | undefined,
  { deliveryLog }: Context<'deliveryLog'>,
): Promise<StandingAttempt | undefined> {
  if (action === undefined) return deliveryLog.abandon(start, DELETED);
  return deliveryLog.recordUnsent(start, action.suspended ? SUSPENDED : DISABLED);
}

const DELETED = { code: 'action_deleted', message: 'The Action was deleted' } as const;
const SUSPENDED = { code: 'organization_suspended', message: 'The organization is suspended' } as const;
const DISABLED = { code: 'action_disabled', message: 'The Action is disabled' } as const;

/** Does what is left of an attempt that must not be made now: its retry may not be scheduled yet. @throws AttemptInProgress */
async function finishStanding(
  message: DeliveryMessage,
  standingAttempt: StandingAttempt,
  context: Context<'queue'>,
  invocation: Invocation,
): Promise<void> {
  if (standingAttempt.kind === 'in_progress') throw new AttemptInProgress(standingAttempt.secondsLeft);
  await scheduleRetry(message, standingAttempt.result, context, invocation);
}

/** Queues the next attempt, if another one follows this result. Returns whether one does. @throws InvocationEnded */
async function scheduleRetry(
  message: DeliveryMessage,
  result: AttemptOutcome,
  { queue }: Context<'queue'>,
  { signal }: Invocation,
): Promise<boolean> {
  const delay = retryDelay(message.attempt, result);
  if (delay === undefined) return false;
  signal.throwIfAborted();
  await queue.sendLater({ ...message, attempt: message.attempt + 1 }, delay);
  return true;
}

/** Seconds after which the delivery log may be available again. */
const RECORD_LATER_SECONDS = 2;

/**
 * Queues a message that completes the record later. The message contains the payload and the result. When it cannot be queued either,
 * only the lines in the function's log remain. The request is never sent again for this reason.
 */
async function recordLater(
  message: DeliveryMessage,
  { payload, action_id, reference, attempt }: AttemptStart,
  result: AttemptResult,
  { queue }: Context<'queue'>,
  { signal, reportFact }: Invocation,
): Promise<void> {
  const unrecorded_result = { with_body: payload !== null, ...result };
  try {
    signal.throwIfAborted();
    await queue.sendLater({ ...message, unrecorded_result }, RECORD_LATER_SECONDS);
  } catch (cause) {
    reportFact({ kind: 'record_unqueued', action_id, reference, attempt, cause });
  }
}

/** Completes a record that could not be completed before. @throws Error when the log still cannot be written */
async function recordResult(
  message: DeliveryMessage,
  { with_body, ...result }: NonNullable<DeliveryMessage['unrecorded_result']>,
  { deliveryLog }: Context<'deliveryLog'>,
  invocation: Invocation,
): Promise<AttemptSummary> {
  const payload = with_body ? JSON.stringify(message.envelope) : null;
  await deliveryLog.complete(startOf(message, payload, invocation), result);
  return { outcome: 'recorded', result: null };
}

function startOf(
  { envelope, action_id, attempt, replay }: DeliveryMessage,
  payload: string | null,
  { now }: Pick<Invocation, 'now'>,
): AttemptStart {
  return {
    action_id,
    at: envelope.timestamp,
    reference: envelope.id,
    attempt,
    trigger: 'event',
    trigger_ref: envelope.event,
    replay,
    payload,
    started_at: now().toISOString(),
    hasMessage: true,
  };
}

const NOT_CARRIED: Readonly<Record<NotCarried, string>> = {
  too_large: 'The event is too large to be delivered',
  too_deep: `The data of the event is nested in more than ${EVENT_DATA_MAX_LEVELS} levels`,
};

/**
 * Records a delivery that no queue message can carry (docs/delivery.md, payload_too_large). The record of data that is nested too deeply
 * has no payload, because it cannot be written as JSON.
 */
export async function recordNotCarried(
  message: DeliveryMessage,
  why: NotCarried,
  { deliveryLog }: Context<'deliveryLog'>,
  invocation: Invocation,
): Promise<void> {
  const payload = why === 'too_deep' ? null : JSON.stringify(message.envelope);
  const start = { ...startOf(message, payload, invocation), hasMessage: false };
  await deliveryLog.recordUnsent(start, { code: 'payload_too_large', message: NOT_CARRIED[why] });
}
