import { ROLES } from '../../src/contract/organizations.ts';
import { addMember, listMembers, removeMember } from '../../src/domain/organizations/manage-members.ts';
import { requireExisting } from '../../src/domain/organizations/manage-organizations.ts';
import type { CliCommand } from '../command.ts';
import { wordLike } from '../values.ts';

type AddOptions = { org: string; email?: string; sub?: string; provider?: string[]; role?: string };

function doneBy({ membership: { role }, roleBefore, isInvited }: Awaited<ReturnType<typeof addMember>>): string {
  if (isInvited) return 'Created the login and added the member';
  if (roleBefore === undefined) return 'Added the member; the login already exists';
  return role === roleBefore
    ? `Already a member with the role ${role}`
    : `Changed the role from ${roleBefore} to ${role}`;
}

export function addTo(member: CliCommand): void {
  member
    .command('add')
    .description('add a member or change a role; a new login gets an invitation by mail')
    .requiredOption('--org <org_id>', 'the organization')
    .option('--email <address>', 'mail address of the login, or for the invitation')
    .option('--sub <sub>', 'the login itself, where the address does not name one for certain')
    .option('--provider <name...>', 'identity providers of the user pool that verify the addresses of their people')
    .option(
      '--role <role>',
      'admin can change everything, member can only read (default: the role of an existing member, and member for a new one)',
      (text) => wordLike(ROLES, text),
    )
    .examples('va-wave member add --org org_… --email ada@example.com --role admin')
    .withDeployment(async ({ output, context }, { org, provider: providers, ...input }: AddOptions) => {
      const addedMember = await addMember(org, { ...input, providers }, context);
      output.object(addedMember.membership, doneBy(addedMember));
    });

  member
    .command('remove')
    .description('end a membership from the next request on; the login stays')
    .requiredOption('--org <org_id>', 'the organization')
    .option('--email <address>', 'mail address of the member')
    .option('--sub <sub>', 'the login of the member')
    .examples('va-wave member remove --org org_… --email ada@example.com')
    .withDeployment(async ({ output, context }, { org, ...member }: { org: string; email?: string; sub?: string }) => {
      output.object(await removeMember(org, member, context), 'Removed the member');
    });

  member
    .command('list')
    .description('list the members of an organization')
    .requiredOption('--org <org_id>', 'the organization')
    .examples('va-wave member list --org org_…')
    .withDeployment(async ({ output, context, hint }, { org }: { org: string }) => {
      await requireExisting(org, context);
      const { memberships, unreadable } = await listMembers(org, context.members);
      output.list(
        memberships,
        `No members yet: ${hint(`member add --org ${org} --email …`)}`,
        memberships.map(({ email, role, created_at }) => ({ email, role, since: created_at })),
        unreadable,
      );
    });
}
