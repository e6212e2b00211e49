import type { Action } from '../../contract/actions.ts';
import type { AttemptStart, Context, EndpointAnswer, OutboundRequest, SendPolicy } from '../context.ts';
import type { FactOf, Invocation } from '../facts.ts';
import { actionPayload, actionRequest, quotaOf, TRIGGER_HEADER_VALUES } from './action-request.ts';
import { completeRecord, EXCERPT_BYTES, recordLost, resultOf, sendAndReportFault } from './delivery-log.ts';

/**
 * Makes the only attempt of a Form, AI-decided or test request. The service cannot send it again later.
 * @param input.reference id of the submission, call or test, which the record has
 */
export async function callActionOnce(
  action: Action,
  input: {
    readonly body: object;
    readonly triggerRef: string;
    readonly reference: string;
    /** Whether the caller needs the whole response; otherwise only the excerpt for the log is read. @default false */
    readonly needsBody?: boolean;
    readonly isTest?: boolean;
  },
  context: Context<'openSigningSecret' | 'send' | 'deliveryLog'>,
  invocation: Invocation,
): Promise<{ readonly request: OutboundRequest; readonly answer: EndpointAnswer }> {
  const signingSecret = await context.openSigningSecret(action);
  const now = invocation.now();
  const payload = actionPayload(action, input.body);
  const request = actionRequest(action, { payload, triggerRef: input.triggerRef, signingSecret, now });
  const keepBytes = input.needsBody ? undefined : EXCERPT_BYTES;
  const policy = { quota: quotaOf(action), inFlightOf: action.org_id, keepBytes };
  const about = {
    org_id: action.org_id,
    site_id: action.site_id,
    action_id: action.action_id,
    reference: input.reference,
    trigger: TRIGGER_HEADER_VALUES[action.trigger],
    trigger_ref: input.triggerRef,
    payload,
    at: now.toISOString(),
    is_test: input.isTest,
  };
  return { request, answer: await sendAndRecord(about, request, policy, context, invocation) };
}

/** Sends a request once, records it and reports it. A failed write of the delivery log neither prevents nor repeats the request. @throws InvocationEnded */
export async function sendAndRecord(
  {
    org_id,
    site_id,
    is_test,
    ...about
  }: Pick<AttemptStart, 'action_id' | 'reference' | 'trigger' | 'trigger_ref' | 'payload' | 'at'> &
    Pick<FactOf<'attempt_made'>, 'org_id' | 'site_id' | 'is_test'>,
  request: OutboundRequest,
  policy: SendPolicy,
  context: Context<'send' | 'deliveryLog'>,
  invocation: Invocation,
): Promise<EndpointAnswer> {
  const start: AttemptStart = { ...about, started_at: about.at, attempt: 1, hasMessage: false };
  // A deletion waits only for invocations that have not ended.
  invocation.signal.throwIfAborted();
  await context.deliveryLog.claim(start).catch((cause: unknown) => recordLost(start, null, cause, invocation));
  const answer = await sendAndReportFault(start, request, policy, context, invocation);
  const result = resultOf(answer);
  await completeRecord(start, result, context, invocation);
  const { action_id, reference, trigger } = about;
  const ids = { trigger, reference, org_id, site_id, action_id, attempt: 1, is_test };
  invocation.reportFact({ kind: 'attempt_made', ...ids, outcome: result.success ? 'succeeded' : 'failed', result });
  return answer;
}
