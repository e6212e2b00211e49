import type { Action } from '../../contract/actions.ts';
import type { Clock } from '../sources.ts';
import { actionPayload, actionRequest, TRIGGER_HEADER_VALUES } from './action-request.ts';
import { type AttemptStart, type Attempts, EXCERPT_BYTES, resultOf } from './delivery-log.ts';
import type { OutboundRequest } from './outbound-request.ts';
import type { AttemptResult, Outcome } from './outcome.ts';
import type { SigningSecrets } from './signing-secret.ts';

export type SingleAttemptPorts = {
  readonly signingSecrets: SigningSecrets;
  readonly attempts: Attempts;
  readonly now: Clock;
};

/**
 * Makes the only attempt of a Form, AI-decided or test request. The service cannot send it again later.
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
  readonly outcome: Outcome;
  readonly result: AttemptResult;
}> {
  const signingSecret = await ports.signingSecrets.openSigningSecret(action);
  const now = ports.now();
  const payload = actionPayload(action, input.body);
  const keep = input.needsBody ? {} : { keepBytes: EXCERPT_BYTES };
  const signed = actionRequest(action, { payload, triggerRef: input.triggerRef, signingSecret, now, ...keep });
  const request = { ...signed, inFlightOf: action.org_id };
  const attempted = await sendOnce(
    {
      action_id: action.action_id,
      reference: input.reference,
      trigger: TRIGGER_HEADER_VALUES[action.trigger],
      trigger_ref: input.triggerRef,
      payload,
    },
    request,
    now,
    ports.attempts,
  );
  return { request, ...attempted };
}

/**
 * Sends a request once and records it. A failed write of the delivery log neither prevents nor repeats the request.
 * @param request may still be being prepared while the record is written
 */
export async function sendOnce(
  about: Pick<AttemptStart, 'action_id' | 'reference' | 'trigger' | 'trigger_ref' | 'payload'>,
  request: OutboundRequest | Promise<OutboundRequest>,
  now: Date,
  { log, logWriteFailed, makeAttempt }: Attempts,
): Promise<{ readonly outcome: Outcome; readonly result: AttemptResult }> {
  const at = now.toISOString();
  const start: AttemptStart = { ...about, at, started_at: at, attempt: 1, message_id: null };
  const [prepared] = await Promise.all([
    request,
    log.claim(start).catch((cause: unknown) => logWriteFailed(start, null, cause)),
  ]);
  const outcome = await makeAttempt(prepared);
  const result = resultOf(outcome, prepared);
  await log.complete(start, result).catch((cause: unknown) => logWriteFailed(start, result, cause));
  return { outcome, result };
}
