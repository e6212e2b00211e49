import type { DashboardAnswer } from '../../contract/dashboard.ts';
import { type Membership, memberInput, type Role } from '../../contract/organizations.ts';
import { inputOf, Refusal } from '../refusal.ts';
import type { Clock } from '../sources.ts';
import { assistantLimit } from './manage-assistants.ts';
import { requireOrganization } from './manage-organizations.ts';
import type { ConfigurationStore } from './store.ts';

export type ListMembersPorts = {
  readonly members: { readonly list: (orgId: string) => Promise<readonly Membership[]> };
};

export type ManageMembersPorts = {
  readonly store: Pick<ConfigurationStore, 'findOrganization'>;
  readonly members: {
    readonly save: (membership: Membership) => Promise<void>;
    readonly remove: (orgId: string, sub: string) => Promise<void>;
    readonly list: (orgId: string) => Promise<readonly Membership[]>;
  };
  /**
   * Returns the login with this email address. Creates it and sends an invitation when there is none. `verified` is false when the user
   * of the login set this address and has not proved access to its mailbox.
   */
  readonly ensureUser: (
    email: string,
  ) => Promise<{ readonly sub: string; readonly invited: boolean; readonly verified: boolean }>;
  readonly now: Clock;
};

/**
 * Adds a member to an organization, or changes the role of an existing member. Only the operator may do this.
 * @throws Refusal 400 that names the field, 404 for an unknown organization, 409 when the login has not verified the address
 */
export async function addMember(
  orgId: string,
  input: { readonly email: string; readonly role?: string },
  ports: ManageMembersPorts,
): Promise<{ readonly membership: Membership; readonly invited: boolean }> {
  const { email, role } = inputOf(memberInput, { ...input, email: input.email.trim().toLowerCase() });
  await requireOrganization(orgId, ports);
  const { sub, invited, verified } = await ports.ensureUser(email);
  if (!verified) {
    throw new Refusal('email_not_verified', {
      message: `email: the login that uses ${email} has not verified this address; delete that login first`,
    });
  }
  const membership: Membership = { org_id: orgId, sub, email, role, created_at: ports.now().toISOString() };
  await ports.members.save(membership);
  return { membership, invited };
}

/** Lists the members of an organization by email address. */
export async function listMembers(orgId: string, { members }: ListMembersPorts): Promise<readonly Membership[]> {
  return (await members.list(orgId)).toSorted((a, b) => a.email.localeCompare(b.email));
}

/**
 * Removes a member from an organization; the member's next request is refused. The login is kept, because it may belong to other
 * organizations. Removes every membership of the address: a login that was deleted and invited again has another one.
 * @throws Refusal 404
 */
export async function removeMember(orgId: string, email: string, ports: ManageMembersPorts): Promise<Membership> {
  const wanted = email.trim().toLowerCase();
  const memberships = (await ports.members.list(orgId)).filter((member) => member.email === wanted);
  const [membership] = memberships;
  if (membership === undefined)
    throw new Refusal('member_not_found', { message: `email: ${wanted} is not a member of ${orgId}` });
  for (const { sub } of memberships) await ports.members.remove(orgId, sub);
  return membership;
}

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

export type WhoAmIPorts = {
  readonly store: Pick<ConfigurationStore, 'findOrganization'>;
  readonly members: { readonly membershipsOf: (sub: string) => Promise<readonly Membership[]> };
};

/** Lists the organizations of a user with the user's role in each. The list is empty for a user without memberships. */
export async function whoAmI(sub: string, ports: WhoAmIPorts): Promise<DashboardAnswer<'me'>> {
  const memberships = await ports.members.membershipsOf(sub);
  const organizations = await Promise.all(
    memberships.map(async ({ org_id, role, email }) => {
      const organization = await ports.store.findOrganization(org_id);
      if (organization === undefined) return [];
      const { name, plan } = organization;
      return [{ org_id, name, plan, role, email, assistant_limit: assistantLimit(organization) }];
    }),
  );
  return { sub, organizations: organizations.flat() };
}
