import { createAction } from '../../src/domain/actions/manage-actions.ts';
import type { Context, ManagementContext } from '../../src/domain/context.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';

/** Creates an organization with an assistant for each URL. The assistant's Event Action sends each `message.sent` to the URL. */
export async function createActions(
  urls: readonly string[],
  management: ManagementContext & Context<'sealSigningSecret'>,
) {
  const { org_id: orgId } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
  const siteIds: string[] = [];
  const actionIds: string[] = [];
  for (const url of urls) {
    const site = { name: 'Bench', domain: 'a.example', hourly_rate_limit: 1000 };
    const assistant = await createAssistant(orgId, site, management);
    const input = { trigger: 'Event', name: 'All', url, events: ['message.sent'] };
    const { action_id } = await createAction(assistant, input, management);
    siteIds.push(assistant.site_id);
    actionIds.push(action_id);
  }
  return { orgId, siteIds, actionIds };
}

/** Creates the envelope of an event. Its JSON has about 1 kB. */
export const envelopeOf = (id: string, orgId: string) => ({
  id,
  event: 'message.sent' as const,
  timestamp: '2026-03-04T05:06:07Z',
  data: { messages: Array.from({ length: 16 }, (_, row) => ({ row: 10_000 + row, text: 'How can I help you?' })) },
  site_id: 'site_bench',
  org_id: orgId,
});
