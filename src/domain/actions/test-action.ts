import type { Action, FormField, ParameterProperty, ParametersSchema } from '../../contract/actions.ts';
import type { TestResult } from '../../contract/dashboard.ts';
import { ACTION_TESTS_PER_MINUTE } from '../../contract/limits.ts';
import type { Context, OutboundRequest } from '../context.ts';
import { resultOf } from '../delivery/delivery-log.ts';
import { retryDelay } from '../delivery/outcome.ts';
import { withoutWithheld } from '../delivery/signature.ts';
import { callActionOnce } from '../delivery/single-attempt.ts';
import { existingAction } from '../existing.ts';
import type { Invocation } from '../facts.ts';
import { Refusal } from '../refusal.ts';
import { withChange } from './manage-actions.ts';
import { type ArgumentValue, checkArguments, NO_PARAMETERS } from './parameters.ts';

/**
 * Sends the request of the Test button (spec "Outbound: Action request"): one real, signed attempt through the same pipeline, which is
 * logged. A disabled Action can be tested before it is enabled.
 * @param change settings that are not saved yet
 * @throws Refusal 400 that names the wrong fields of the change, 404, 409 while the organization is suspended, 429
 */
export async function testAction(
  orgId: string,
  actionId: string,
  context: Context<'configuration' | 'counters' | 'openSigningSecret' | 'send' | 'deliveryLog'>,
  invocation: Invocation,
  change: Readonly<Record<string, unknown>> = {},
): Promise<TestResult> {
  const now = invocation.now();
  const [perMinute, foundAction] = await Promise.all([
    context.counters.hitPerMinute(`action-test#${orgId}`, ACTION_TESTS_PER_MINUTE, now),
    context.configuration.findAction(orgId, actionId),
  ]);
  const savedAction = existingAction(foundAction, actionId);
  if (savedAction.suspended) throw new Refusal('organization_suspended', { problem: `${orgId} is suspended` });
  if (!perMinute.isAllowed) throw new Refusal('rate_limit_exceeded', perMinute);
  const action = withChange(savedAction, change);
  const id = invocation.newId();
  const sample = { ...sampleRequest(action, id, invocation.newId, now), reference: id, isTest: true };
  const { request, answer } = await callActionOnce(action, sample, context, invocation);
  const retried = retryDelay(1, answer) !== undefined;
  return { ...resultOf(answer), at: now.toISOString(), retried, request: withoutSignature(request) };
}

/** Returns the request without its signature. A signature is no secret, but a valid one should not be copied. */
function withoutSignature({ method, url, headers, body, withheldTexts }: OutboundRequest): TestResult['request'] {
  const shownHeaders = Object.entries(headers).map(([name, value]) => [name, withoutWithheld(value, withheldTexts)]);
  const text = body === null ? null : Buffer.from(body).toString('utf8');
  return { method, url, headers: Object.fromEntries(shownHeaders), body: text };
}

/**
 * Returns a body with sample values, and the value of X-Service-Trigger-Ref. A conversation that does not exist has an id by which a receiver
 * tells a test from a lead: the real ones are UUIDs.
 */
function sampleRequest(
  action: Action,
  id: string,
  newId: Invocation['newId'],
  now: Date,
): { readonly body: object; readonly triggerRef: string } {
  switch (action.trigger) {
    case 'Event':
      return {
        body: {
          id,
          event: 'test.ping',
          // Whole seconds, as the time of an event on the bus.
          timestamp: now.toISOString().replace(/\.\d+/, ''),
          data: {},
          site_id: action.site_id,
          org_id: action.org_id,
        },
        triggerRef: 'test.ping',
      };
    case 'AI-decided':
      return { body: sampleArguments(action.parameters ?? NO_PARAMETERS), triggerRef: `test-${id}` };
    case 'Form': {
      const values = Object.fromEntries(action.form_fields.map((field) => [field.key, sampleValue(field)]));
      return { body: { values, conversation_id: `test-${newId()}`, submission_id: id }, triggerRef: id };
    }
  }
}

/** Texts that match common patterns: words, numbers, codes, dates, telephone numbers, addresses. */
const TEXTS =
  'test test@example.com TEST Test 1 12 1234 12345 123456 A1 AB12 AB-1234 ABC-123 ABC123 A1B2C3 2026-01-31 2026-01-31T12:00:00Z ' +
  '12:30 +15550100 555-0100 https://example.com/ 00000000-0000-4000-8000-000000000000';

const SAMPLE_ARGUMENTS: Readonly<Record<ParameterProperty['type'], readonly ArgumentValue[]>> = {
  boolean: [true],
  integer: [1],
  number: [1],
  string: TEXTS.split(' '),
};

/**
 * Returns arguments that the assistant could send: of each parameter the first value of its `enum`, or sample value, that is valid. When
 * none is, an optional parameter is left out and a required one gets a text that is not valid.
 */
function sampleArguments({ properties, required }: ParametersSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
      const candidates = property.enum ?? SAMPLE_ARGUMENTS[property.type];
      const alone: ParametersSchema = { type: 'object', properties: { it: property }, required: [] };
      const sample = candidates.find((it) => checkArguments(alone, { it }).isValid);
      if (sample !== undefined) return [[name, sample]];
      return required.includes(name) ? [[name, SAMPLE_ARGUMENTS.string[0]]] : [];
    }),
  );
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
