import { join } from 'node:path';
import * as z from 'zod';
import type { Deployment } from '../../cli/deployment.ts';
import { cognitoClient } from '../../src/adapters/aws-clients.ts';
import { userPoolLogins } from '../../src/adapters/user-pool.ts';
import type { Action } from '../../src/contract/actions.ts';
import type { EventName } from '../../src/contract/events.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { createAction, updateAction } from '../../src/domain/actions/manage-actions.ts';
import type { Context, ManagementContext } from '../../src/domain/context.ts';
import { createAssistant, generateServerSecret } from '../../src/domain/organizations/manage-assistants.ts';
import { addMember } from '../../src/domain/organizations/manage-members.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { readKept, writeKept } from '../cloud/data-folder.ts';
import type { LocalCloud } from '../local-cloud.ts';

/** The parts of a running service that the demo uses, which an operator of a deployment also has. */
export type DemoCloud = Pick<LocalCloud, 'baseUrl' | 'apiUrl' | 'gatewayUrl' | 'region' | 'credentials' | 'outputs'>;

const storedIds = z.object({ org_id: z.string(), website_site_id: z.string(), members_site_id: z.string() });

export type DemoOrganization = z.infer<typeof storedIds> & {
  /** Of the members' assistant. The customer's backend keeps it; the service stores only its hash. Empty when that assistant takes no session tokens. */
  readonly server_secret: string;
};

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
const MEMBER_FIELDS = [{ key: 'message', label: 'What is wrong with your bike?', type: 'Long text', required: true }];
const ORDER_TOOL = {
  trigger: 'AI-decided',
  name: 'Find an order',
  description: 'Finds an order by its number and tells its status',
  parameters: { properties: { number: { type: 'integer', description: 'Number of the order' } }, required: ['number'] },
  feed_response_back: true,
  response_field_map: { number: '$.order.number', status: '$.order.status' },
};

const EVENTS = { trigger: 'Event', events: DEMO_EVENTS };
const form = (name: string, form_fields: readonly object[]) => ({ trigger: 'Form', name, form_fields });
/** The demo's Actions, with the path of the receiver that each calls. */
const ACTIONS = [
  { of: 'website', path: '/website/events', ...EVENTS, name: 'CRM sync' },
  { of: 'website', path: '/website/contact', ...form('Contact us', CONTACT_FIELDS) },
  { of: 'website', path: '/website/orders', ...ORDER_TOOL },
  { of: 'members', path: '/members/orders', ...ORDER_TOOL },
  { of: 'members', path: '/members/events', ...EVENTS, name: 'Member CRM sync' },
  { of: 'members', path: '/members/repair', ...form('Ask the workshop', MEMBER_FIELDS) },
] as const;

/** The host of the demo's site. Without a port, it is allowed on any. */
const SITE_HOST = 'localhost';

type Customers = ManagementContext & Context<'sealSigningSecret'>;

/**
 * Returns the demo's customer: an organization with one assistant per authentication mode, and their Actions. It is created once, and found
 * again later as its users have left it. Each start generates a new server secret for the site's backend, unless a user no longer wants
 * session tokens.
 * @param folder the data folder, which keeps the ids
 */
export async function demoOrganization(folder: string, receiverUrl: string, context: Customers) {
  const file = join(folder, 'demo.json');
  const storedIdsOfDemo = readKept(file, storedIds);
  const storedOrganization = storedIdsOfDemo && (await context.store.findOrganization(storedIdsOfDemo.org_id));
  const ids = storedIdsOfDemo && storedOrganization ? storedIdsOfDemo : await newOrganization(receiverUrl, context);
  writeKept(file, ids);
  const members = await context.store.findAssistant(ids.members_site_id);
  if (members?.authentication_mode !== 'Session Signed') return { ...ids, server_secret: '' };
  const { serverSecret } = await generateServerSecret(members, { regenerate: true }, context);
  return { ...ids, server_secret: serverSecret };
}

async function newOrganization(receiverUrl: string, context: Customers): Promise<z.infer<typeof storedIds>> {
  const { org_id } = await createOrganization({ name: 'Northwind Bikes', plan: 'paid' }, context);
  const create = (name: string, authentication_mode: string, allowed_domains: readonly string[]) =>
    createAssistant(
      org_id,
      { name, authentication_mode, allowed_domains, domain: SITE_HOST, hourly_rate_limit: 10_000 },
      context,
    );
  const assistants = {
    website: await create('Website', 'Allowed Websites', [SITE_HOST]),
    members: await create('Members', 'Session Signed', []),
  };
  for (const { path, of, ...input } of ACTIONS) {
    await createAction(assistants[of], { ...input, url: receiverUrl + path }, context);
  }
  return { org_id, website_site_id: assistants.website.site_id, members_site_id: assistants.members.site_id };
}

/** Returns the Actions that call the demo's receiver, by the path there, and moves them to the port that it has now. */
export async function demoActions(orgId: string, receiverUrl: string, context: ManagementContext) {
  const { hostname } = new URL(receiverUrl);
  const byPath = new Map<string, Action>();
  for (const action of (await context.store.listActions(orgId)).actions) {
    const url = new URL(action.url);
    if (url.hostname !== hostname || !ACTIONS.some(({ path }) => path === url.pathname)) continue;
    const moved = receiverUrl + url.pathname;
    byPath.set(url.pathname, action.url === moved ? action : await updateAction(action, { url: moved }, context));
  }
  return byPath;
}

/** The users of the demo's dashboard. Their passwords are valid only for the demo on this machine. */
export const READY_USERS = [
  { email: 'admin@northwind.example', password: 'demo-admin', role: 'admin' },
  { email: 'member@northwind.example', password: 'demo-member', role: 'member' },
] as const;

/** Adds the ready users to an organization, as the operator's `member add` does. */
export async function addReadyUsers(
  { gatewayUrl: endpoint, region, credentials, outputs }: DemoCloud,
  orgId: string,
  deployment: Deployment,
): Promise<void> {
  const cognito = cognitoClient({ endpoint, region, credentials });
  for (const { email, password, role } of READY_USERS) {
    const logins = userPoolLogins(cognito, outputs[OUTPUTS.userPool] ?? '', password);
    await addMember(orgId, { email, role }, { ...deployment, logins });
  }
}
