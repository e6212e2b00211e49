import { type Organization, organizationChange, organizationInput } from '../../contract/organizations.ts';
import { inputOf, Refusal } from '../refusal.ts';
import { type Clock, newId, type RandomBytes } from '../sources.ts';
import type { Author } from './changes.ts';
import type { ConfigurationStore } from './store.ts';

export type ManagementPorts = {
  readonly store: ConfigurationStore;
  /** Absent for the operator, whose changes are not recorded. */
  readonly author?: Author;
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
};

/** Creates an organization. @throws Refusal 400 that names the field */
export async function createOrganization(
  input: { readonly name: string; readonly plan?: string },
  ports: ManagementPorts,
): Promise<Organization> {
  const organization: Organization = {
    org_id: newId('org', ports.randomBytes),
    ...inputOf(organizationInput, input),
    created_at: ports.now().toISOString(),
  };
  await ports.store.createOrganization(organization);
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
  ports: ManagementPorts,
): Promise<Organization> {
  const previous = await requireOrganization(orgId, ports);
  const settings = inputOf(organizationChange, change);
  await ports.store.changeOrganization(orgId, settings);
  return { ...previous, ...settings };
}

/** Returns an organization. @throws Refusal 404 */
export async function requireOrganization(
  orgId: string,
  ports: { readonly store: Pick<ConfigurationStore, 'findOrganization'> },
): Promise<Organization> {
  const organization = await ports.store.findOrganization(orgId);
  if (organization === undefined)
    throw new Refusal('organization_not_found', { field: 'org_id', message: `org_id: no organization ${orgId}` });
  return organization;
}
