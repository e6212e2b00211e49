import { type Membership, memberInput } from '../../contract/members.ts';
import { inputOf, Refusal } from '../refusal.ts';
import type { Clock } from '../sources.ts';
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
