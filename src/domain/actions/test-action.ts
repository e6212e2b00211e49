import type { Action, FormField, ParameterProperty } from '../../contract/actions.ts';
import type { DeliveryRecord } from '../../contract/deliveries.ts';
import { ACTION_TESTS_PER_MINUTE } from '../../contract/limits.ts';
import { MESSAGES } from '../../contract/messages.ts';
import type { HitPerMinute } from '../auth/rate-limits.ts';
import { attemptOnce, type SingleAttemptPorts } from '../delivery/single-attempt.ts';
import { Refusal } from '../refusal.ts';
import type { NewId } from '../sources.ts';

export type TestActionPorts = SingleAttemptPorts & {
  readonly findAction: (orgId: string, actionId: string) => Promise<Action | undefined>;
  readonly hitPerMinute: HitPerMinute;
  readonly newId: NewId;
};

export type TestActionResult = Pick<DeliveryRecord, 'status' | 'latency_ms' | 'success' | 'error' | 'response_excerpt'>;

/**
 * The Test button (spec "Outbound: Action request"): a real signed request through the same pipeline, one attempt, logged.
 * A disabled Action can be tested before it is switched on.
 * @throws Refusal 404, 429
 */
export async function testAction(orgId: string, actionId: string, ports: TestActionPorts): Promise<TestActionResult> {
  const [perMinute, action] = await Promise.all([
    ports.hitPerMinute(`action-test#${orgId}`, ACTION_TESTS_PER_MINUTE, ports.now()),
    ports.findAction(orgId, actionId),
  ]);
  if (action === undefined) throw new Refusal(404, `action_id: no Action ${actionId}`);
  if (!perMinute.allowed) throw new Refusal(429, MESSAGES.rateLimitExceeded, perMinute);
  const id = ports.newId();
  const { result } = await attemptOnce(action, { ...sampleRequest(action, id, ports.now()), reference: id }, ports);
  return result;
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
