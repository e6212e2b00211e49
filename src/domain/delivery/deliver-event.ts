import type { Action } from '../../contract/actions.ts';
import { type AttemptResult, type FailureCode, failureOf } from '../../contract/delivery-record.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import type { DeliveryMessage, NotCarried, Received } from '../../contract/queues.ts';
import type { AttemptStart, Context, FinishedAttempt } from '../context.ts';
import type { FactOf, Invocation } from '../facts.ts';
import { ServiceError } from '../service-error.ts';
import { actionPayload, actionRequest } from './action-request.ts';
import { completeRecord, EXCERPT_BYTES, resultOf, sendAttempt } from './delivery-log.ts';
import { signalFailingEndpoint } from './failing-endpoint.ts';
import { retryDelay } from './outcome.ts';

/**
 * The delivery of an event to one Action, from a message of the deliveries queue on (docs/decisions/0003): read the Action, claim the attempt,
 * sign and send its request, complete the record, schedule the retry, signal an endpoint that keeps failing.
 */

type AttemptContext = Context<'findAction' | 'openSigningSecret' | 'send' | 'log' | 'queue'>;

/** What became of a message (Fact `attempted`). */
export type AttemptSummary = Pick<FactOf<'attempted'>, 'outcome' | 'result'> & {
  /** Why the delivery failed; absent while another attempt follows. */
  readonly finalFailure?: FailureCode;
};

/** The start of an attempt that a message of the queue asks for. */
type Start = AttemptStart & { readonly message_id: string };

/** Another invocation may still be making this attempt. The message must stay invisible until that attempt has ended. */
export class AttemptInProgress extends ServiceError {
  override readonly name = 'AttemptInProgress';
  /** Seconds until the message should be delivered again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Another invocation is making this attempt');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Handles one message of the deliveries queue: makes its attempt, and then checks whether its endpoint keeps failing. The attempt is
 * already recorded at that time, so an error of the check is only reported and the message is not delivered again.
 * @throws the errors of attemptDelivery
 */
export async function deliverEvent(
  received: Received<DeliveryMessage>,
  context: AttemptContext & Context<'failurePeriods' | 'publishFailing'>,
  invocation: Invocation,
): Promise<void> {
  const { message } = received;
  const { action_id, attempt, envelope } = message;
  const { id: event_id, org_id, site_id } = envelope;
  const { finalFailure, ...summary } = await attemptDelivery(received, context, invocation);
  invocation.report({ kind: 'attempted', event_id, org_id, site_id, action_id, attempt, ...summary });
  if (finalFailure === undefined) return;
  await signalFailingEndpoint(message, finalFailure, context, invocation).catch((cause: unknown) =>
    invocation.report({ kind: 'watch_failed', event_id, action_id, cause }),
  );
}

/**
 * Makes one attempt of an Event delivery (spec "States": event delivery). The record is written before the request, so that every request has
 * one, also after a crash. A failure of the customer's endpoint is an outcome and never an exception.
 * @throws AttemptInProgress; Error when storage or queue failed: then nothing was sent, or only the retry message is missing. In all
 * cases SQS must deliver the message again.
 */
export async function attemptDelivery(
  { message, messageId }: Received<DeliveryMessage>,
  context: AttemptContext,
  invocation: Invocation,
): Promise<AttemptSummary> {
  if (message.made !== undefined) return recordMade(message, message.made, context);
  const action = await context.findAction(message.envelope.org_id, message.action_id);
  const started = { started_at: invocation.now().toISOString(), message_id: messageId };
  if (action === undefined) {
    await context.log.abandon(startOf(message, { payload: null, ...started }), DELETED);
    return UNSENT;
  }
  const payload = actionPayload(action, message.envelope);
  const start = startOf(message, { payload, ...started });
  if (!action.enabled || action.suspended) return recordUnsent(message, start, action, context, invocation);

  // Before the claim, so that a fault of the service leaves no record of a request that was never sent.
  const signingSecret = await context.openSigningSecret(action);
  if (!(await claim(message, start, context, invocation))) return { outcome: 'taken', result: null };
  const request = actionRequest(action, {
    payload,
    triggerRef: message.envelope.event,
    signingSecret,
    now: invocation.now(),
    // A changed Action has a new version, so it does not use a connection from before the change.
    connectionKey: `${action.action_id} ${action.version}`,
    keepBytes: EXCERPT_BYTES,
  });
  const result = resultOf(await sendAttempt(start, request, context, invocation), request);
  // Before the retry: after a crash in between, the record is finished and nothing is sent again.
  const written = await completeRecord(start, result, context, invocation);
  const isRetried = await scheduleRetry(message, result, context, invocation);
  // Not before the retry: when that cannot be queued, the message comes again and its request is repeated, with another outcome perhaps.
  if (!written) await recordLater(message, start, result, context, invocation);
  const failure = failureOf(result);
  if (failure === undefined) return { outcome: 'succeeded', result };
  return { outcome: 'failed', result, finalFailure: isRetried ? undefined : failure };
}

/** Records why an attempt is not made. */
async function recordUnsent(
  message: DeliveryMessage,
  start: Start,
  { suspended }: Action,
  context: Context<'log' | 'queue'>,
  invocation: Invocation,
): Promise<AttemptSummary> {
  const finished = await context.log.recordUnsent(start, suspended ? SUSPENDED : DISABLED);
  // The attempt was already finished, and its retry may not be scheduled yet.
  if (finished !== undefined) await scheduleRetry(message, finished.result, context, invocation);
  return UNSENT;
}

const UNSENT: AttemptSummary = { outcome: 'unsent', result: null };

const DELETED = { code: 'action_deleted', message: 'The Action was deleted' } as const;
const SUSPENDED = { code: 'organization_suspended', message: 'The organization is suspended' } as const;
const DISABLED = { code: 'action_disabled', message: 'The Action is disabled' } as const;

/** Claims the attempt. Returns whether this message may send its request. @throws AttemptInProgress */
async function claim(
  message: DeliveryMessage,
  start: Start,
  context: Context<'log' | 'queue'>,
  invocation: Invocation,
): Promise<boolean> {
  const claimed = await context.log.claim(start);
  if (claimed.kind === 'in_progress') throw new AttemptInProgress(claimed.secondsLeft);
  // The same message has finished this attempt, and its retry may not be scheduled yet.
  if (claimed.kind === 'finished') await scheduleRetry(message, claimed.result, context, invocation);
  return claimed.kind === 'claimed' || claimed.kind === 'resumed';
}

/** Queues the next attempt, if another one follows this result. Returns whether one does. @throws InvocationEnded */
async function scheduleRetry(
  message: DeliveryMessage,
  result: FinishedAttempt['result'],
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
const RECORD_LATER_SECONDS = 60;

/**
 * Queues a message that completes the record later. The message contains the payload and the result. When it cannot be queued either,
 * only the lines in the function's log remain. The request is never sent again for this reason.
 */
async function recordLater(
  message: DeliveryMessage,
  { message_id, started_at, payload, action_id, reference, attempt }: Start,
  result: AttemptResult,
  { queue }: Context<'queue'>,
  { signal, report }: Invocation,
): Promise<void> {
  const made = { message_id, started_at, with_body: payload !== null, ...result };
  try {
    signal.throwIfAborted();
    await queue.sendLater({ ...message, made }, RECORD_LATER_SECONDS);
  } catch (cause) {
    report({ kind: 'record_unqueued', action_id, reference, attempt, cause });
  }
}

/** Completes a record that could not be completed before. @throws Error when the log still cannot be written */
async function recordMade(
  message: DeliveryMessage,
  made: NonNullable<DeliveryMessage['made']>,
  { log }: Context<'log'>,
): Promise<AttemptSummary> {
  const { message_id, started_at, with_body, ...result } = made;
  const payload = with_body ? JSON.stringify(message.envelope) : null;
  await log.complete(startOf(message, { payload, started_at, message_id }), result);
  return { outcome: 'recorded', result: null };
}

/** Returns the start of a message's attempt: what the record has from the message, and `own`, which a later receive of it may change. */
function startOf<Own extends Pick<AttemptStart, 'payload' | 'started_at' | 'message_id'>>(
  { envelope, action_id, attempt, replay }: DeliveryMessage,
  own: Own,
): AttemptStart & Own {
  return {
    action_id,
    at: envelope.timestamp,
    reference: envelope.id,
    attempt,
    trigger: 'event',
    trigger_ref: envelope.event,
    replay,
    ...own,
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
  { log }: Context<'log'>,
  { now }: Invocation,
): Promise<void> {
  const payload = why === 'too_deep' ? null : JSON.stringify(message.envelope);
  const start = startOf(message, { payload, started_at: now().toISOString(), message_id: null });
  await log.recordUnsent(start, { code: 'payload_too_large', message: NOT_CARRIED[why] });
}
