import { type Organization, organizationChange, organizationInput } from '../../contract/organizations.ts';
import type { Context, ManagementContext } from '../context.ts';
import { inputOf, Refusal } from '../refusal.ts';
import { newEntityId } from '../sources.ts';

/** Creates an organization. @throws Refusal 400 that names the field */
export async function createOrganization(
  input: { readonly name: string; readonly plan?: string },
  context: ManagementContext,
): Promise<Organization> {
  const organization: Organization = {
    org_id: newEntityId('org', context.randomBytes),
    ...inputOf(organizationInput, input),
    created_at: context.now().toISOString(),
  };
  await context.store.createOrganization(organization);
  return organization;
}

/**
 * Changes the named settings of an organization and keeps the others. It keeps assistants above the limit. After a downgrade to free,
 * assistants in Session Signed keep working, but no assistant can select the mode again.
 * @throws Refusal 400 that names the field, 404
 */
export async function updateOrganization(
  orgId: string,
  change: { readonly name?: string; readonly plan?: string; readonly assistant_limit?: number },
  context: ManagementContext,
): Promise<Organization> {
  const previous = await requireOrganization(orgId, context);
  const settings = inputOf(organizationChange, change);
  await context.store.changeOrganization(orgId, settings, context.author);
  return { ...previous, ...settings };
}

/** Returns an organization. @throws Refusal 404, also while it is being deleted */
export async function requireOrganization(orgId: string, { store }: Context<'store'>): Promise<Organization> {
  const organization = await store.findOrganization(orgId);
  if (organization === undefined || organization.deleting) throw noOrganization(orgId);
  return organization;
}

/** For what needs nothing of an organization but that it exists. @throws Refusal as `requireOrganization` */
export async function requireExisting(orgId: string, { store }: Context<'store'>): Promise<void> {
  // An assistant and an Action have an owner too, with another id.
  if ((await store.ownerOf(orgId)) !== orgId) throw noOrganization(orgId);
}

/** The refusal, 404, for an organization that does not exist, is being deleted, or is not the caller's. */
export const noOrganization = (orgId: string): Refusal =>
  new Refusal('organization_not_found', { problem: `no organization ${orgId}` });
