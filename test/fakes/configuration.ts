import type { AiAction, EventAction, FormAction } from '../../src/contract/actions.ts';
import type { Assistant } from '../../src/contract/assistants.ts';

const CREATED = '2026-01-01T00:00:00.000Z';

export const SITE_ID = 'site_aaaaaaaaaaaaaaaaaaaa';
export const OTHER_SITE_ID = 'site_bbbbbbbbbbbbbbbbbbbb';
export const ORG_ID = 'org_aaaaaaaaaaaaaaaaaaaa';

/** Returns an enabled assistant in Allowed Websites on `shop.example`. */
export function anAssistant(changes: Partial<Assistant> = {}): Assistant {
  return {
    site_id: SITE_ID,
    org_id: ORG_ID,
    name: 'Shop',
    domain: 'shop.example',
    enabled: true,
    hourly_rate_limit: 1000,
    authentication_mode: 'Allowed Websites',
    allowed_domains: ['shop.example'],
    ip_allowlist: [],
    created_at: CREATED,
    updated_at: CREATED,
    version: 1,
    ...changes,
  };
}

const stored = (id: string) => ({
  action_id: id,
  org_id: ORG_ID,
  site_id: SITE_ID,
  sealed_signing_secret: `sealed for ${id}`,
  created_at: CREATED,
  updated_at: CREATED,
  version: 1,
  method: 'POST' as const,
  enabled: true,
});

/** Returns an Event Action that is subscribed to conversation.started. */
export function anEventAction(changes: Partial<EventAction> = {}): EventAction {
  return {
    ...stored(changes.action_id ?? 'act_event'),
    trigger: 'Event',
    name: 'Tell the CRM',
    slug: 'tell-the-crm',
    url: 'https://crm.example/events',
    events: ['conversation.started'],
    ...changes,
  };
}

/** Returns a Form Action with a required field `email` and an optional field `note`. */
export function aFormAction(changes: Partial<FormAction> = {}): FormAction {
  return {
    ...stored(changes.action_id ?? 'act_form'),
    trigger: 'Form',
    name: 'Contact us',
    slug: 'contact-us',
    url: 'https://crm.example/forms',
    form_fields: [
      { key: 'email', label: 'Email', type: 'Email', required: true },
      { key: 'note', label: 'Note', type: 'Long text', required: false },
    ],
    ...changes,
  };
}

export function anAiAction(changes: Partial<AiAction> = {}): AiAction {
  return {
    ...stored(changes.action_id ?? 'act_ai'),
    trigger: 'AI-decided',
    name: 'Look up an order',
    slug: 'look-up-an-order',
    url: 'https://crm.example/orders',
    description: 'Finds an order by its number',
    feed_response_back: false,
    ...changes,
  };
}

/** The operator, whose identity in AWS is not known. */
export const OPERATOR_AUTHOR = { kind: 'operator', arn: 'arn:aws:iam::123456789012:user/ada' } as const;
