import type * as z from 'zod';
import type { DashboardAnswer } from '../../contract/dashboard.ts';
import { type Membership, memberInput, namedMember, type Role } from '../../contract/organizations.ts';
import type { Context, Login, Logins, MemberList, Members } from '../context.ts';
import type { Invocation } from '../facts.ts';
import { inputOf, Refusal } from '../refusal.ts';
import { ServiceError } from '../service-error.ts';
import { auditRecordOf, auditValues, type RecordContext, recordedAuthor } from './changes.ts';
import { assistantLimit } from './manage-assistants.ts';
import { noOrganization, requireOrganization } from './manage-organizations.ts';
import { requireReadable } from './suspension-and-quota.ts';

/**
 * Adds a member to an organization, or changes the role of an existing member. Without a role, a new member can only read, and an existing
 * one keeps the role. Only the operator may do this. An email address finds the login, or creates it; `sub` names the login. Adding a
 * member again is recorded only when the role changes.
 * @param input `providers` are the identity providers of which the operator knows that they verify the addresses of their people
 * @returns the membership, the role before, and whether the login was created
 * @throws Refusal 400 that names the field, 404 for an unknown organization or `sub`, 409 when the address does not name one login for certain
 */
export async function addMember(
  orgId: string,
  input: Omit<z.input<typeof memberInput>, 'role'> & { readonly role?: string },
  context: Context<'store' | 'members' | 'logins'> & RecordContext,
): Promise<{ readonly membership: Membership; readonly roleBefore: Role | undefined; readonly isInvited: boolean }> {
  const namedInput = { ...input, email: input.email?.trim().toLowerCase() };
  const { email, sub, role: namedRole, providers } = inputOf(memberInput, namedInput);
  await requireOrganization(orgId, context);
  // Fails before a login is created and a person invited whose membership cannot be recorded.
  recordedAuthor(context.author);
  const { login, isInvited } =
    sub === undefined
      ? await certainLogin(email ?? '', providers, context.logins)
      : await namedLogin(sub, context.logins);
  const previous = await context.members.findMembership(orgId, login.sub);
  const role = namedRole ?? previous?.role ?? 'member';
  const membership: Membership = {
    org_id: orgId,
    sub: login.sub,
    email: (login.email ?? login.username).toLowerCase(),
    role,
    created_at: previous?.created_at ?? context.now().toISOString(),
  };
  const record = previous?.role === role ? undefined : memberRecord({ previous, next: membership }, context);
  await context.members.save(membership, record);
  return { membership, roleBefore: previous?.role, isInvited };
}

type MembershipChange = { readonly previous?: Membership | undefined; readonly next?: Membership };

/** Returns the record of a change of a membership, which only the operator makes. Without `previous` it begins, without `next` it ends. */
function memberRecord({ previous, next }: MembershipChange, context: RecordContext) {
  const { org_id = '', sub = '', email = '' } = next ?? previous ?? {};
  const changes = auditValues(['role'], previous ?? {}, next ?? {});
  const subject = { org_id, entity_id: sub, name: email, fields: ['role'], changes };
  const operation = next === undefined ? 'remove_member' : previous === undefined ? 'add_member' : 'change_role';
  return auditRecordOf(operation, subject, context);
}

/**
 * Returns the one enabled login that has this address for certain, and creates a login when none is enabled. Anybody may sign up at an
 * identity provider with the address of somebody else, and an address may belong to several logins.
 * @param providers identity providers whose word about an address is enough
 */
async function certainLogin(email: string, providers: readonly string[], logins: Logins) {
  let loginsWithEmail = await logins.withEmail(email);
  if (!loginsWithEmail.some(({ enabled }) => enabled)) {
    const { login, isInvited } = await logins.create(email);
    if (isInvited) return { login, isInvited };
    loginsWithEmail = [...loginsWithEmail.filter(({ sub }) => sub !== login.sub), login];
  }
  const [login, ...others] = loginsWithEmail.filter(({ enabled }) => enabled);
  const isCertain = ({ isVerified, providers: writers }: Login): boolean =>
    writers.length === 0 ? isVerified : writers.every((name) => providers.includes(name));
  if (login !== undefined && others.length === 0 && isCertain(login)) return { login, isInvited: false };
  throw new Refusal('login_uncertain', {
    problem: `${email} does not name one login for certain: name the login by its sub. The user pool has ${loginsWithEmail.map(describedLogin).join('; ')}`,
  });
}

/** Returns what tells a login from others, and why its address is not certain. */
function describedLogin({ username, sub, enabled, isVerified, providers }: Login): string {
  const notes = [`sub ${sub}`];
  if (!enabled) notes.push('disabled');
  if (providers.length > 0) notes.push(`address from ${providers.join(' and ')}`);
  else if (!isVerified) notes.push('address not verified');
  return `${username} (${notes.join(', ')})`;
}

async function namedLogin(sub: string, logins: Logins) {
  const login = await logins.withSub(sub);
  if (login === undefined) throw new Refusal('login_not_found', { problem: `the user pool has no login ${sub}` });
  return { login, isInvited: false };
}

/** Lists the members of an organization by email address. */
export async function listMembers(orgId: string, members: Members): Promise<MemberList> {
  const { memberships, unreadable } = await members.list(orgId);
  return { memberships: memberships.toSorted((a, b) => a.email.localeCompare(b.email)), unreadable };
}

/**
 * Removes a member from an organization, by email address or by `sub`; the member's next request is refused. The login is kept, because
 * it may belong to other organizations. Removes every membership of the address: a login that was deleted and invited again has another one.
 * @throws Refusal 404, 400 that names the field
 */
export async function removeMember(
  orgId: string,
  input: z.input<typeof namedMember>,
  context: Context<'members'> & RecordContext,
): Promise<Membership> {
  const namedPerson = inputOf(namedMember, { ...input, email: input.email?.trim().toLowerCase() });
  const { members } = context;
  const all = await members.list(orgId);
  const isNamed = ({ email, sub }: Membership) => email === namedPerson.email || sub === namedPerson.sub;
  const memberships = all.memberships.filter(isNamed);
  const [membership] = memberships;
  if (membership === undefined) {
    // A membership that cannot be read may be the wanted one.
    requireReadable(all.unreadable);
    const [name, value] = namedPerson.sub === undefined ? ['email', namedPerson.email] : ['sub', namedPerson.sub];
    const problem = `${value} is not a member of ${orgId}`;
    throw new Refusal('member_not_found', { fields: [{ field: name, problem }] });
  }
  for (const one of memberships) await members.remove(orgId, one.sub, memberRecord({ previous: one }, context));
  return membership;
}

/**
 * Returns the caller's membership in an organization. Every request reads it again. A caller who is not a member gets the same answer
 * as for an organization that does not exist.
 * @throws Refusal 404, 403 when an admin is required and the caller is not one
 */
export async function requireMembership(orgId: string, sub: string, role: Role, members: Members): Promise<Membership> {
  const membership = await members.findMembership(orgId, sub);
  if (membership === undefined) throw noOrganization(orgId);
  if (role === 'admin' && membership.role !== 'admin') throw new Refusal('admin_required');
  return membership;
}

/** Reports what cannot be read of an organization. @returns how much that is, for the answer */
export function reportUnreadable(unreadable: MemberList['unreadable'], { reportFact }: Invocation): number {
  for (const { org_id, cause } of unreadable) reportFact({ kind: 'organization_unreadable', org_id, cause });
  return unreadable.length;
}

/** Lists the organizations of a user with the user's role in each. The list is empty for a user without memberships. One that cannot be read does not affect the others. */
export async function whoAmI(
  sub: string,
  context: Context<'store' | 'members'>,
  invocation: Invocation,
): Promise<DashboardAnswer<'me'>> {
  const list = await context.members.membershipsOf(sub);
  const unreadable = [...list.unreadable];
  const organizations = await Promise.all(
    list.memberships.map(async ({ org_id, role, email }) => {
      const organization = await context.store.findOrganization(org_id).catch((cause: unknown) => {
        // An item that cannot be read is a ServiceError; any other error is a fault of the storage.
        if (!(cause instanceof ServiceError)) throw cause;
        unreadable.push({ org_id, cause });
        return undefined;
      });
      if (organization === undefined || organization.deleting) return [];
      const { name, plan, suspended = false } = organization;
      return [{ org_id, name, plan, suspended, role, email, assistant_limit: assistantLimit(organization) }];
    }),
  );
  reportUnreadable(unreadable, invocation);
  return { sub, organizations: organizations.flat(), unreadable: unreadable.map(({ org_id }) => ({ org_id })) };
}
