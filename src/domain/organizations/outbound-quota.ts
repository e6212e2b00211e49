import { dailyOutboundQuota, type OrganizationMarks } from '../../contract/organizations.ts';
import { invalidInput } from '../refusal.ts';
import { type Marked, type MarkPorts, markOrganization } from './marks.ts';

export type QuotaChange = Marked & { readonly org_id: string; readonly daily_outbound_quota: number | null };

/**
 * Limits how many outbound requests an organization may make in a UTC day, or ends that with null, from the next request on
 * (marks.ts). What was counted today stays counted.
 * @throws Refusal 400 that names the field, 404
 */
export async function setOutboundQuota(orgId: string, perDay: number | null, ports: MarkPorts): Promise<QuotaChange> {
  const parsed = dailyOutboundQuota.safeParse(perDay);
  if (!parsed.success) throw invalidInput(parsed.error, 'daily_outbound_quota');
  const mark = { daily_outbound_quota: parsed.data };
  const carries = (part: OrganizationMarks) => (part.daily_outbound_quota ?? null) === mark.daily_outbound_quota;
  return { org_id: orgId, ...mark, ...(await markOrganization(orgId, mark, carries, ports)) };
}
