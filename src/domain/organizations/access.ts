import type { Membership, Role } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';

export type MembershipReads = {
  /** Strongly consistent: a removed member is refused from the next request on. */
  readonly findMembership: (orgId: string, sub: string) => Promise<Membership | undefined>;
};

/**
 * The caller's membership in an organization, read anew for every request. Whoever does not belong to it cannot tell whether it
 * exists.
 * @throws Refusal 404, 403 for a member where an admin is needed
 */
export async function requireMembership(
  orgId: string,
  sub: string,
  role: Role,
  ports: MembershipReads,
): Promise<Membership> {
  const membership = await ports.findMembership(orgId, sub);
  if (membership === undefined)
    throw new Refusal('organization_not_found', { message: `org_id: no organization ${orgId}` });
  if (role === 'admin' && membership.role !== 'admin') {
    throw new Refusal('admin_required');
  }
  return membership;
}
