import { ASSISTANTS_PER_ORGANIZATION } from '../../src/contract/limits.ts';
import { type Organization, PLANS } from '../../src/contract/organizations.ts';
import {
  createOrganization,
  requireOrganization,
  updateOrganization,
} from '../../src/domain/organizations/manage-organizations.ts';
import { setOutboundQuota, setSuspended } from '../../src/domain/organizations/suspension-and-quota.ts';
import { type CliCommand, FieldOption } from '../command.ts';
import { checkDeletions, eraseOrganization, organizationToErase } from '../operations/erase.ts';
import { namedChange, requireOne, wholeNumberOf, wordLike } from '../values.ts';

const plan = (text: string) => wordLike(PLANS, text);

export function addTo(org: CliCommand): void {
  org
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid; Session Signed requires paid', plan, 'free')
    .examples(`va-wave org create --name 'Corner Shop' --plan paid`)
    .withDeployment(async ({ output, context }, options: { name: string; plan: string }) => {
      output.object(await createOrganization(options, context), 'Created the organization');
    });

  org
    .command('update <org_id>')
    .description('change name, plan or limit; after a downgrade, Session Signed still works where it is selected')
    .option('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid', plan)
    .addOption(
      new FieldOption(
        'assistant_limit',
        '--assistants <number>',
        `assistants that it may have, ${ASSISTANTS_PER_ORGANIZATION} by default; it keeps those above`,
        wholeNumberOf,
      ),
    )
    .examples('va-wave org update org_… --plan free')
    .withDeployment(
      async ({ output, context }, orgId: string, options: { name?: string; plan?: string; assistants?: number }) => {
        const { assistants: assistant_limit, ...settings } = options;
        const change = namedChange({ ...settings, assistant_limit });
        output.object(await updateOrganization(orgId, change, context), 'Changed the organization');
      },
    );

  org
    .command('suspend <org_id>')
    .description('refuse its widgets and server secrets, and send none of its requests')
    .notes(`Events are recorded as organization_suspended and are not sent later. Settings stay unchanged. The suspension takes effect with the next
request. After an interruption, run the command again.`)
    .examples('va-wave org suspend org_…')
    .withDeployment(async ({ output, context, confirm }, orgId: string) => {
      const { name } = await requireOrganization(orgId, context);
      await confirm(`Suspend the organization ${name} (${orgId})?`);
      output.object(await setSuspended(orgId, true, context), 'Suspended the organization');
    });

  org
    .command('resume <org_id>')
    .description('end the suspension; its events are not sent later')
    .examples('va-wave org resume org_…')
    .withDeployment(async ({ output, context }, orgId: string) => {
      output.object(await setSuspended(orgId, false, context), 'Resumed the organization');
    });

  org
    .command('quota <org_id>')
    .description('limit the requests to its endpoints per day, or remove the limit')
    .addOption(
      new FieldOption(
        'daily_outbound_quota',
        '--per-day <number>',
        'requests in a UTC day; retries, replays and tests count as well',
        wholeNumberOf,
      ),
    )
    .option('--none', 'no quota')
    .notes(`Requests above the quota are recorded as quota_exceeded and are not sent later. Usage webhooks do not count. The quota takes effect with
the next request. Of earlier requests of the day, it includes those that had a quota. After an interruption, run the command again.`)
    .examples('va-wave org quota org_… --per-day 100000')
    .withDeployment(async ({ output, context }, orgId: string, { perDay, none }: { perDay?: number; none?: true }) => {
      requireOne([perDay, none], 'Give either --per-day or --none');
      const done = await setOutboundQuota(orgId, perDay ?? null, context);
      output.object(done, 'Changed the quota of the organization');
    });

  org
    .command('delete <org_id>')
    .description('erase an organization: members, assistants, Actions, audit trail, and all data of visitors')
    .notes(`The command erases each assistant as assistant delete does (va-wave assistant delete --help). Logins are not erased, because they may
belong to other organizations.`)
    .examples('va-wave org delete org_…')
    .withDeployment(async ({ output, context, confirm }, orgId: string) => {
      const { name } = await organizationToErase(orgId, context);
      await confirm(`Erase the organization ${name} (${orgId}) and all data of its visitors?`, orgId);
      output.object({ org_id: orgId, ...(await eraseOrganization(orgId, context)) }, 'Erased the organization');
    });

  org
    .command('list')
    .description('list all organizations, by name (reads the whole configuration table)')
    .option('--deleted', 'list what was deleted instead, the newest first, and whether the table has it')
    .notes(
      `A table that was restored to an earlier time has again what was deleted since. org delete and assistant delete delete it again.`,
    )
    .examples('va-wave org list', 'va-wave org list --deleted --configuration-table va-wave-restored')
    .withDeployment(async ({ output, context, hint }, { deleted: showsDeletions }: { deleted?: true }) => {
      if (showsDeletions) {
        const { checkedDeletions, unreadable } = await checkDeletions(context);
        const rows = checkedDeletions.map(({ stored, ...row }) => ({
          stored: stored ? 'yes' : 'no',
          ...row,
          site_id: row.site_id ?? '–',
        }));
        return output.list(checkedDeletions, 'Nothing was deleted', rows, unreadable);
      }
      const organizations: Organization[] = [];
      const unreadable: { readonly cause: Error }[] = [];
      for await (const page of context.store.listOrganizations()) {
        organizations.push(...page.organizations);
        unreadable.push(...page.unreadable);
        output.showProgress(`Reading organizations: ${organizations.length}`);
      }
      organizations.sort((a, b) => a.name.localeCompare(b.name) || a.org_id.localeCompare(b.org_id));
      output.list(
        organizations,
        `No organizations yet: ${hint('org create --name …')}`,
        organizations.map(({ org_id, plan, created_at, name }) => ({ org_id, plan, created: created_at, name })),
        unreadable,
      );
    });
}
