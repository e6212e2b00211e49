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
 * The one attempt of a Form, AI-decided or test request. Nobody can send it again, so a log that cannot be written neither
 * stops nor repeats it.
 * @param reference what ties the record to its cause: submission id, conversation id or test id
 */
export async function attemptOnce(
  action: Action,
  input: {
    readonly body: object;
    readonly triggerRef: string;
    readonly reference: string;
    /** Whether the caller reads the response; otherwise only the log does. @default false */
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
