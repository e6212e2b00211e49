import type { Membership, Role } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';

export type MembershipReads = {
  /** Reads strongly consistently, so that a removed member is refused with the next request. */
  readonly findMembership: (orgId: string, sub: string) => Promise<Membership | undefined>;
};

/**
 * Returns the caller's membership in an organization. Every request reads it again. A caller who is not a member gets the same answer
 * as for an organization that does not exist.
 * @throws Refusal 404, 403 when an admin is required and the caller is not one
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
