import { type ChangedParts, type RestrictionPorts, restrictOrganization } from './restrictions.ts';

export type Suspension = ChangedParts & { readonly org_id: string; readonly suspended: boolean };

/** Suspends an organization or resumes it. Takes effect with the next request (restrictions.ts). @throws Refusal 404 */
export async function setSuspended(orgId: string, suspended: boolean, ports: RestrictionPorts): Promise<Suspension> {
  const carries = (part: { readonly suspended?: boolean }) => (part.suspended ?? false) === suspended;
  return { org_id: orgId, suspended, ...(await restrictOrganization(orgId, { suspended }, carries, ports)) };
}
