import { createHmac } from 'node:crypto';
import { isJsonObject } from '../../contract/fields.ts';
import type { UsageReport, UsageReportResult } from '../../contract/invocations.ts';
import { COMMON_HEADERS, type HeadersOf, type USAGE_HEADERS } from '../../contract/outbound-headers.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Context, EndpointAnswer, OutboundRequest } from '../context.ts';
import { sendAndRecord } from '../delivery/single-attempt.ts';
import type { Invocation } from '../facts.ts';
import { parseJson } from '../parse-json.ts';
import { Refusal } from '../refusal.ts';
import { unixSeconds } from '../sources.ts';

/**
 * Reports the usage of a turn to the session's usage webhook (spec "Outbound: usage webhook"). Only a complete 200 response with
 * `{"should_continue": false}` stops the conversation. After any other response, a timeout or an error, it continues.
 * A session without a webhook makes no request. A report above the organization's limit in flight is recorded and not sent.
 * @throws Refusal 401 for an invalid token, and for one whose assistant is deleted; Error when the assistant cannot be read: it may be deleted
 */
export async function reportUsage(
  usageReport: UsageReport,
  context: Context<'tokens' | 'configuration' | 'send' | 'deliveryLog'>,
  invocation: Invocation,
): Promise<UsageReportResult> {
  const claims = await context.tokens.verifyTokenOfTurn(usageReport.session_token);
  if (typeof claims === 'string') throw new Refusal('session_token_invalid', { facts: { token_problem: claims } });
  const orgId = await reportingOrganization(claims.site_id, context);
  const webhook = claims.usage_webhook;
  if (webhook === undefined) return { should_continue: true, reported: false };

  const now = invocation.now();
  const timestamp = unixSeconds(now);
  const nonce = invocation.newId();
  const { jti: session_id, sub: user_id, site_id } = claims;
  const payload = canonicalJson({ session_id, user_id, site_id, usage: usageReport.usage, timestamp, nonce });
  const body = Buffer.from(payload);
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex');
  const request: OutboundRequest = {
    method: 'POST',
    url: webhook.url,
    body,
    headers: {
      ...COMMON_HEADERS,
      'X-Webhook-Signature': signature,
      'X-Webhook-Timestamp': String(timestamp),
    } satisfies HeadersOf<typeof USAGE_HEADERS>,
    withheldTexts: [signature, webhook.secret],
  };
  // Apart from the organization's other requests, so that a slow usage webhook refuses no form.
  const policy = { inFlightOf: `usage#${orgId}` };
  const about = {
    org_id: orgId,
    site_id,
    is_test: undefined,
    action_id: usageLogId(site_id),
    reference: nonce,
    trigger: 'usage',
    trigger_ref: session_id,
    payload,
    at: now.toISOString(),
  } as const;
  const answer = await sendAndRecord(about, request, policy, context, invocation);
  return { should_continue: !saysStop(answer), reported: true };
}

/**
 * Returns the organization of an assistant. A token may outlive its assistant, whose data is erased, so a report for it is refused. A turn
 * that ended while the assistant was switched off is reported.
 * @throws Refusal 401
 */
async function reportingOrganization(siteId: string, { configuration }: Context<'configuration'>): Promise<string> {
  const assistant = await configuration.findAssistant(siteId);
  if (assistant === undefined || assistant.deleting) throw new Refusal('site_not_found');
  return assistant.org_id;
}

/** Returns the id under which the delivery log keeps the usage reports of a site. */
export const usageLogId = (siteId: string): string => `usage_${siteId}`;

/** Returns whether a webhook answered that the conversation stops: with 200, and with the whole of its body. */
function saysStop(answer: EndpointAnswer): boolean {
  if (answer.status !== 200 || answer.error !== null || answer.text === null) return false;
  const reply = parseJson(answer.text);
  return isJsonObject(reply) && reply.should_continue === false;
}
