import type { Action } from '../../contract/actions.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import type { DeliveryMessage, NotCarried } from '../../contract/queues.ts';
import type { Clock } from '../sources.ts';
import { actionPayload, actionRequest } from './action-request.ts';
import {
  type AttemptResult,
  type AttemptStart,
  type DeliveryLog,
  type LogWriteFailed,
  resultOf,
} from './delivery-log.ts';
import type { MakeAttempt } from './outbound.ts';
import { EXCERPT_BYTES } from './response-excerpt.ts';
import { isRetried, retryDelaySeconds } from './retries.ts';

export type AttemptDeliveryPorts = {
  readonly findAction: (orgId: string, actionId: string) => Promise<Action | undefined>;
  readonly openSigningSecret: (action: Action) => Promise<string>;
  readonly log: DeliveryLog;
  readonly logWriteFailed: LogWriteFailed;
  readonly makeAttempt: MakeAttempt;
  readonly sendLater: (message: DeliveryMessage, delaySeconds: number) => Promise<void>;
  readonly now: Clock;
};

export type AttemptSummary = {
  /** `taken`: another message has, or this one had, made the attempt. `recorded`: only the record of an earlier attempt was completed. */
  readonly outcome: 'succeeded' | 'failed' | 'taken' | 'unsent' | 'recorded';
  readonly result: AttemptResult | null;
};

const DELETED = { code: 'action_deleted', message: 'The Action was deleted' } as const;
const SUSPENDED = { code: 'organization_suspended', message: 'The organization is suspended' } as const;
const DISABLED = { code: 'action_disabled', message: 'The Action is disabled' } as const;

/** Another invocation may still be making this attempt. The message must stay invisible until that attempt has ended. */
export class AttemptInProgress extends Error {
  override readonly name = 'AttemptInProgress';
  /** Seconds until the message should be delivered again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Another invocation is making this attempt');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Handles one queue message: makes one attempt of an Event delivery (spec "States": event delivery). Claims the attempt, sends the
 * request and completes the record. The record is written before the request, so that every request has one, also after a crash. A
 * failure of the customer's endpoint is an outcome and never an exception.
 * @throws AttemptInProgress; Error when storage or queue failed: then nothing was sent, or only the retry message is missing. In all
 * cases SQS must deliver the message again.
 */
export async function attemptDelivery(
  message: DeliveryMessage,
  messageId: string,
  ports: AttemptDeliveryPorts,
): Promise<AttemptSummary> {
  const { envelope } = message;
  if (message.made !== undefined) return recordMade(message, message.made, ports);
  const action = await ports.findAction(envelope.org_id, message.action_id);
  // The log of a deleted Action may be erased already, so it gets no payload.
  const payload = action === undefined ? null : actionPayload(action, envelope);
  const start = startOf(message, { payload, started_at: ports.now().toISOString(), message_id: messageId });
  if (!action?.enabled || action.suspended) {
    const finished = await ports.log.recordUnsent(start, whyUnsent(action));
    // The attempt was already finished, and its retry may not be scheduled yet.
    if (finished !== undefined) await scheduleNext(message, finished.result, ports);
    return { outcome: 'unsent', result: null };
  }

  const signingSecret = await ports.openSigningSecret(action);
  const claim = await ports.log.claim(start);
  if (claim.kind === 'in_progress') throw new AttemptInProgress(claim.secondsLeft);
  if (claim.kind === 'taken') return { outcome: 'taken', result: null };
  if (claim.kind === 'finished') {
    await scheduleNext(message, claim.result, ports);
    return { outcome: 'taken', result: null };
  }

  const request = actionRequest(action, {
    payload,
    triggerRef: envelope.event,
    signingSecret,
    now: ports.now(),
    // A changed Action has a new version, so it does not use a connection from before the change.
    connectionKey: `${action.action_id} ${action.version}`,
    keepBytes: EXCERPT_BYTES,
  });
  const result = resultOf(await ports.makeAttempt(request), request);
  // The record is completed before the retry is scheduled: after a crash in between, the record is finished and nothing is sent again.
  let unwritten = false;
  await ports.log.complete(start, result).catch((cause: unknown) => {
    unwritten = true;
    ports.logWriteFailed(start, result, cause);
  });
  await scheduleNext(message, result, ports);
  // Not before the retry: when that cannot be queued, the message comes again and its request is repeated, with another outcome perhaps.
  if (unwritten) await recordLater(message, start, result, ports);
  return { outcome: result.success ? 'succeeded' : 'failed', result };
}

/** Seconds after which the delivery log may be available again. */
const RECORD_LATER_SECONDS = 60;

/**
 * Queues a message that completes the record later. The message contains the payload and the result. When it cannot be queued either,
 * only the line in the function's log remains. The request is never sent again for this reason.
 */
async function recordLater(
  message: DeliveryMessage,
  start: AttemptStart & { readonly message_id: string },
  result: AttemptResult,
  ports: Pick<AttemptDeliveryPorts, 'sendLater'>,
): Promise<void> {
  const { message_id, started_at, payload } = start;
  const made = { message_id, started_at, with_body: payload !== null, ...result };
  await ports.sendLater({ ...message, made }, RECORD_LATER_SECONDS).catch(() => undefined);
}

/** Completes a record that could not be completed before. @throws Error when the log still cannot be written */
async function recordMade(
  message: DeliveryMessage,
  made: NonNullable<DeliveryMessage['made']>,
  ports: Pick<AttemptDeliveryPorts, 'log'>,
): Promise<AttemptSummary> {
  const { message_id, started_at, with_body, ...result } = made;
  const payload = with_body ? JSON.stringify(message.envelope) : null;
  await ports.log.complete(startOf(message, { payload, started_at, message_id }), result);
  return { outcome: 'recorded', result: null };
}

/** Returns what the delivery log has of an attempt from its start on. */
function startOf<Own extends Pick<AttemptStart, 'payload' | 'started_at' | 'message_id'>>(
  message: DeliveryMessage,
  own: Own,
): AttemptStart & Own {
  const { envelope, action_id, attempt, replay } = message;
  return {
    action_id,
    at: envelope.timestamp,
    reference: envelope.id,
    attempt,
    trigger: 'event',
    trigger_ref: envelope.event,
    ...own,
    ...(replay === undefined ? {} : { replay }),
  };
}

function whyUnsent(action: Action | undefined) {
  if (action === undefined) return DELETED;
  return action.suspended ? SUSPENDED : DISABLED;
}

async function scheduleNext(
  message: DeliveryMessage,
  result: Pick<AttemptResult, 'success' | 'status' | 'error'>,
  ports: Pick<AttemptDeliveryPorts, 'sendLater'>,
): Promise<void> {
  if (result.success || result.error === null) return;
  const delay = retryDelaySeconds(message.attempt);
  if (delay === undefined || !isRetried({ code: result.error.code, status: result.status })) return;
  await ports.sendLater({ ...message, attempt: message.attempt + 1 }, delay);
}

const NOT_CARRIED: Readonly<Record<NotCarried, string>> = {
  too_large: 'The event is too large to be delivered',
  too_deep: `The data of the event is nested in more than ${EVENT_DATA_MAX_LEVELS} levels`,
};

/**
 * Records a delivery that no queue message can carry (docs/delivery.md, payload_too_large). The record of data that is nested too deeply
 * has no payload, because it cannot be written as JSON.
 */
export function recordNotCarried(ports: Pick<AttemptDeliveryPorts, 'log' | 'now'>) {
  return async (message: DeliveryMessage, why: NotCarried): Promise<void> => {
    const payload = why === 'too_deep' ? null : JSON.stringify(message.envelope);
    const start = startOf(message, { payload, started_at: ports.now().toISOString(), message_id: null });
    await ports.log.recordUnsent(start, { code: 'payload_too_large', message: NOT_CARRIED[why] });
  };
}
