import type { Action } from '../../src/contract/actions.ts';
import type { EventName } from '../../src/contract/events.ts';
import { createAction, updateAction } from '../../src/domain/actions/manage-actions.ts';
import { serverSecretMatches } from '../../src/domain/auth/server-secret.ts';
import {
  createAssistant,
  generateServerSecret,
  updateAssistant,
} from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import type { Remembered } from './memory.ts';
import type { Operator } from './operator.ts';

export type DemoOrganization = NonNullable<Remembered['organization']>;

/** What the demo's Event Actions subscribe to, and its page can put on the bus. */
export const DEMO_EVENTS = [
  'conversation.started',
  'conversation.ended',
  'message.received',
  'message.sent',
  'escalation.triggered',
  'contact.created',
  'appointment.booked',
] as const satisfies readonly EventName[];

const CONTACT_FIELDS = [
  { key: 'name', label: 'Your name', type: 'Text', required: true },
  { key: 'email', label: 'Email', type: 'Email', required: true },
  { key: 'phone', label: 'Phone', type: 'Phone' },
  { key: 'bikes', label: 'How many bikes?', type: 'Number' },
  { key: 'message', label: 'Message', type: 'Long text', required: true },
];
const TEST_RIDE_FIELDS = [
  { key: 'name', label: 'Your name', type: 'Text', required: true },
  { key: 'phone', label: 'Phone', type: 'Phone', required: true },
];
const ORDER_TOOL = {
  trigger: 'AI-decided',
  name: 'Find an order',
  description: 'Finds an order by its number and tells its status',
  parameters: { properties: { number: { type: 'integer', description: 'Number of the order' } }, required: ['number'] },
  feed_response_back: true,
  response_field_map: { number: '$.order.number', status: '$.order.status' },
};
const MEMBER_FIELDS = [{ key: 'message', label: 'What is wrong with your bike?', type: 'Long text', required: true }];

/**
 * The demo's customer: an organization with one assistant per authentication mode. Created once, found again later, and then told the
 * site's host, because its port may have changed.
 */
export async function demoOrganization(
  known: DemoOrganization | undefined,
  siteHost: string,
  { management }: Operator,
): Promise<DemoOrganization> {
  const [organization, website, members] = await Promise.all([
    known && management.store.findOrganization(known.org_id),
    known && management.store.findAssistant(known.website_site_id),
    known && management.store.findAssistant(known.members_site_id),
  ]);
  if (!known || !organization || !website || !members) return newOrganization(siteHost, management);
  for (const assistant of [website, members]) {
    const { domain, allowed_domains } = assistant;
    if (domain === siteHost) continue;
    const allowed = allowed_domains.map((entry) => (entry === domain ? siteHost : entry));
    await updateAssistant(assistant, { domain: siteHost, allowed_domains: allowed }, management);
  }
  if (members.authentication_mode !== 'Session Signed') return known;
  if (serverSecretMatches(members.server_secret, known.server_secret)) return known;
  // A user has regenerated it.
  const { serverSecret } = await generateServerSecret(members, { regenerate: true }, management);
  return { ...known, server_secret: serverSecret };
}

async function newOrganization(siteHost: string, management: Operator['management']): Promise<DemoOrganization> {
  const { org_id } = await createOrganization({ name: 'Northwind Bikes', plan: 'paid' }, management);
  const common = { domain: siteHost, hourly_rate_limit: 10_000 };
  const website = await createAssistant(
    org_id,
    { ...common, name: 'Website', authentication_mode: 'Allowed Websites', allowed_domains: [siteHost] },
    management,
  );
  const members = await createAssistant(
    org_id,
    { ...common, name: 'Members', authentication_mode: 'Session Signed' },
    management,
  );
  const { serverSecret } = await generateServerSecret(members, { regenerate: false }, management);
  return { org_id, website_site_id: website.site_id, members_site_id: members.site_id, server_secret: serverSecret };
}

/** The demo's Actions by path of the receiver, created where they are missing, and moved when the receiver did. */
export async function demoActions(
  organization: DemoOrganization,
  receiverUrl: string,
  { management }: Operator,
): Promise<ReadonlyMap<string, Action>> {
  const { website_site_id: website, members_site_id: members } = organization;
  const events = { trigger: 'Event', events: DEMO_EVENTS };
  const form = (name: string, form_fields: readonly object[]) => ({ trigger: 'Form', name, form_fields });
  const wanted = [
    { path: '/website/events', siteId: website, input: { ...events, name: 'CRM sync' } },
    { path: '/website/contact', siteId: website, input: form('Contact us', CONTACT_FIELDS) },
    { path: '/website/test-ride', siteId: website, input: form('Book a test ride', TEST_RIDE_FIELDS) },
    { path: '/website/orders', siteId: website, input: ORDER_TOOL },
    { path: '/members/orders', siteId: members, input: ORDER_TOOL },
    { path: '/members/events', siteId: members, input: { ...events, name: 'Member CRM sync' } },
    { path: '/members/repair', siteId: members, input: form('Ask the workshop', MEMBER_FIELDS) },
  ];
  const { actions: existing } = await management.store.listActions(organization.org_id);
  const byPath = new Map<string, Action>();
  for (const { path, siteId, input } of wanted) {
    const url = receiverUrl + path;
    const found = existing.find((action) => action.site_id === siteId && new URL(action.url).pathname === path);
    if (found === undefined) byPath.set(path, await createAction(siteId, { ...input, url }, management));
    else byPath.set(path, found.url === url ? found : await updateAction(found, { url }, management));
  }
  return byPath;
}
