import { type Marked, type MarkPorts, markOrganization } from './marks.ts';

export type Suspension = Marked & { readonly org_id: string; readonly suspended: boolean };

/** Suspends an organization or resumes it, with the next request (marks.ts). @throws Refusal 404 */
export async function setSuspended(orgId: string, suspended: boolean, ports: MarkPorts): Promise<Suspension> {
  const carries = (part: { readonly suspended?: boolean }) => (part.suspended ?? false) === suspended;
  return { org_id: orgId, suspended, ...(await markOrganization(orgId, { suspended }, carries, ports)) };
}
