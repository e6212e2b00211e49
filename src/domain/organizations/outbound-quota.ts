import { dailyOutboundQuota, type OrganizationRestrictions } from '../../contract/organizations.ts';
import { inputOf } from '../refusal.ts';
import { type ChangedParts, type RestrictionPorts, restrictOrganization } from './restrictions.ts';

export type QuotaChange = ChangedParts & { readonly org_id: string; readonly daily_outbound_quota: number | null };

/**
 * Limits how many outbound requests an organization may make in a UTC day; null removes the limit. Takes effect with the next
 * request (restrictions.ts). Requests that were counted today still count.
 * @throws Refusal 400 that names the field, 404
 */
export async function setOutboundQuota(
  orgId: string,
  perDay: number | null,
  ports: RestrictionPorts,
): Promise<QuotaChange> {
  const restriction = { daily_outbound_quota: inputOf(dailyOutboundQuota, perDay, 'daily_outbound_quota') };
  const carries = (part: OrganizationRestrictions) =>
    (part.daily_outbound_quota ?? null) === restriction.daily_outbound_quota;
  return { org_id: orgId, ...restriction, ...(await restrictOrganization(orgId, restriction, carries, ports)) };
}
