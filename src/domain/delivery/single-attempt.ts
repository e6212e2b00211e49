import type { Action } from '../../contract/actions.ts';
import type { Clock } from '../sources.ts';
import { actionPayload, actionRequest, TRIGGER_HEADER_VALUES } from './action-request.ts';
import {
  type AttemptResult,
  type AttemptStart,
  type DeliveryLog,
  type LogWriteFailed,
  resultOf,
} from './delivery-log.ts';
import type { Deliver, OutboundOutcome, OutboundRequest } from './outbound.ts';
import { EXCERPT_BYTES } from './response-excerpt.ts';

export type SingleAttemptPorts = {
  readonly openSigningSecret: (action: Action) => Promise<string>;
  readonly log: DeliveryLog;
  readonly logWriteFailed: LogWriteFailed;
  readonly deliver: Deliver;
  readonly now: Clock;
};

/**
 * Makes the only attempt of a Form, AI-decided or test request. A failed write of the delivery log neither prevents nor repeats the
 * request, because the service cannot send it again later.
 * @param input.reference id of the submission, call or test, which the record has
 */
export async function attemptOnce(
  action: Action,
  input: {
    readonly body: object;
    readonly triggerRef: string;
    readonly reference: string;
    /** Whether the caller needs the whole response; otherwise only the excerpt for the log is read. @default false */
    readonly needsBody?: boolean;
  },
  ports: SingleAttemptPorts,
): Promise<{
  readonly request: OutboundRequest;
  readonly outcome: OutboundOutcome;
  readonly result: AttemptResult;
}> {
  const signingSecret = await ports.openSigningSecret(action);
  const now = ports.now();
  const start: AttemptStart = {
    action_id: action.action_id,
    at: now.toISOString(),
    reference: input.reference,
    attempt: 1,
    trigger: TRIGGER_HEADER_VALUES[action.trigger],
    trigger_ref: input.triggerRef,
    payload: actionPayload(action, input.body),
    started_at: now.toISOString(),
    message_id: null,
  };
  await ports.log.claim(start).catch((cause: unknown) => ports.logWriteFailed(start, null, cause));
  const { payload } = start;
  const keep = input.needsBody ? {} : { keepBytes: EXCERPT_BYTES };
  const signed = actionRequest(action, { payload, triggerRef: input.triggerRef, signingSecret, now, ...keep });
  const request = { ...signed, inFlightOf: action.org_id };
  const outcome = await ports.deliver(request);
  const result = resultOf(outcome, request);
  await ports.log.complete(start, result).catch((cause: unknown) => ports.logWriteFailed(start, result, cause));
  return { request, outcome, result };
}
