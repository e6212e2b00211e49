import type { Action, FormField, ParameterProperty } from '../../contract/actions.ts';
import type { TestResult } from '../../contract/dashboard.ts';
import { ACTION_TESTS_PER_MINUTE } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import type { HitPerMinute } from '../auth/rate-limits.ts';
import type { OutboundRequest } from '../delivery/outbound.ts';
import { attemptOnce, type SingleAttemptPorts } from '../delivery/single-attempt.ts';
import { Refusal } from '../refusal.ts';
import type { NewId } from '../sources.ts';

export type TestActionPorts = SingleAttemptPorts & {
  readonly findAction: (orgId: string, actionId: string) => Promise<Action | undefined>;
  readonly hitPerMinute: HitPerMinute;
  readonly newId: NewId;
};

/**
 * The Test button (spec "Outbound: Action request"): a real signed request through the same pipeline, one attempt, logged.
 * A disabled Action can be tested before it is switched on.
 * @throws Refusal 404, 429
 */
export async function testAction(orgId: string, actionId: string, ports: TestActionPorts): Promise<TestResult> {
  const [perMinute, action] = await Promise.all([
    ports.hitPerMinute(`action-test#${orgId}`, ACTION_TESTS_PER_MINUTE, ports.now()),
    ports.findAction(orgId, actionId),
  ]);
  if (action === undefined) throw new Refusal(404, `action_id: no Action ${actionId}`);
  if (!perMinute.allowed) throw new Refusal(429, MESSAGES.rateLimitExceeded, perMinute);
  const id = ports.newId();
  const sample = sampleRequest(action, id, ports.now());
  const { request, result } = await attemptOnce(action, { ...sample, reference: id }, ports);
  return { ...result, request: withoutSignature(request) };
}

/** What was sent, as it may be shown: a signature is no secret, but nobody needs to copy a valid one. */
function withoutSignature({ method, url, headers, body }: OutboundRequest): TestResult['request'] {
  const signature = headers['X-Service-Signature']?.replace(/v1=.*/, 'v1=(not shown)') ?? '';
  return {
    method,
    url,
    headers: { ...headers, 'X-Service-Signature': signature },
    body: body === null ? null : Buffer.from(body).toString('utf8'),
  };
}

/** What the endpoint would be sent, with made-up values. */
function sampleRequest(action: Action, id: string, now: Date): { readonly body: object; readonly triggerRef: string } {
  switch (action.trigger) {
    case 'Event':
      return {
        body: {
          id,
          event: 'test.ping',
          timestamp: now.toISOString(),
          data: {},
          site_id: action.site_id,
          org_id: action.org_id,
        },
        triggerRef: 'test.ping',
      };
    case 'AI-decided': {
      const properties = Object.entries(action.parameters?.properties ?? {});
      return { body: Object.fromEntries(properties.map(([name, p]) => [name, sampleArgument(p)])), triggerRef: id };
    }
    case 'Form': {
      const values = Object.fromEntries(action.form_fields.map((field) => [field.key, sampleValue(field)]));
      return { body: { values, conversation_id: id, submission_id: id }, triggerRef: id };
    }
  }
}

function sampleArgument(property: ParameterProperty): string | number | boolean {
  switch (property.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 1;
    case 'string':
      return property.format === 'email' ? 'test@example.com' : 'test';
  }
}

function sampleValue(field: FormField): string | number {
  switch (field.type) {
    case 'Number':
      return 1;
    case 'Email':
      return 'test@example.com';
    case 'Phone':
      return '+15550100';
    case 'Text':
    case 'Long text':
      return 'test';
  }
}
