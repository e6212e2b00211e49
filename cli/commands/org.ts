import type { Command } from 'commander';
import { ASSISTANTS_PER_ORGANIZATION } from '../../src/contract/limits.ts';
import { type Organization, PLANS } from '../../src/contract/organizations.ts';
import {
  createOrganization,
  requireOrganization,
  updateOrganization,
} from '../../src/domain/organizations/manage-organizations.ts';
import { setOutboundQuota, setSuspended } from '../../src/domain/organizations/restrictions.ts';
import { type CommandRun, confirmed, type Run } from '../command-run.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { spelled, wholeNumber } from '../values.ts';
import { addOrgDelete } from './erase.ts';

const plan = (text: string) => spelled(PLANS, text);

/** Adds the commands for organizations, which are the operator's customers. */
export function addOrgCommands(org: Command, run: Run): void {
  org
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid; Session Signed requires paid', plan, 'free')
    .addHelpText('after', "\nExample:\n  va-wave org create --name 'Corner Shop' --plan paid")
    .action((options: { name: string; plan: string }) =>
      run(async ({ output, deployment }) => {
        const organization = await createOrganization(options, await deployment());
        output.object(organization, 'Created the organization');
      }),
    );

  org
    .command('update <org_id>')
    .description('change name, plan or limit; after a downgrade, Session Signed still works where it is selected')
    .option('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid', plan)
    .option(
      '--assistants <number>',
      `assistants that it may have, ${ASSISTANTS_PER_ORGANIZATION} by default; it keeps those above`,
      wholeNumber,
    )
    .addHelpText('after', '\nExample:\n  va-wave org update org_… --plan free')
    .action((orgId: string, { assistants, ...options }: { name?: string; plan?: string; assistants?: number }) =>
      run(async ({ output, deployment }) => {
        if (Object.keys(options).length === 0 && assistants === undefined) {
          throw new CommandFailure(EXIT.refused, 'Nothing to change: give --name, --plan or --assistants');
        }
        const change = { ...options, ...(assistants === undefined ? {} : { assistant_limit: assistants }) };
        const organization = await updateOrganization(orgId, change, await deployment());
        output.object(organization, 'Changed the organization');
      }),
    );

  org
    .command('suspend <org_id>')
    .description('refuse its widgets and server secrets, as for disabled assistants, and send none of its requests')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
Events are recorded as organization_suspended and are not sent later. Settings stay unchanged. The suspension takes effect with the next
request. After an interruption, run the command again.

Example:
  va-wave org suspend org_…`,
    )
    .action((orgId: string, options: { yes?: true }) =>
      run(async (commandRun) => {
        const { name } = await requireOrganization(orgId, await commandRun.deployment());
        await confirmed(commandRun, options.yes, `Suspend the organization ${name} (${orgId})?`);
        await changeSuspension(orgId, true, commandRun);
      }),
    );

  org
    .command('resume <org_id>')
    .description('end the suspension of an organization; events during the suspension are not sent later')
    .addHelpText('after', '\nExample:\n  va-wave org resume org_…')
    .action((orgId: string) => run((commandRun) => changeSuspension(orgId, false, commandRun)));

  org
    .command('quota <org_id>')
    .description('limit the requests to its endpoints per day, or remove the limit')
    .option('--per-day <number>', 'requests in a UTC day; retries, replays and tests count as well', wholeNumber)
    .option('--none', 'no quota')
    .addHelpText(
      'after',
      `
Requests above the quota are recorded as quota_exceeded and are not sent later. Usage webhooks do not count. The quota takes effect with
the next request and includes the requests of today. After an interruption, run the command again.

Example:
  va-wave org quota org_… --per-day 100000`,
    )
    .action((orgId: string, options: { perDay?: number; none?: true }) =>
      run(async ({ output, deployment }) => {
        if ((options.perDay === undefined) === (options.none === undefined)) {
          throw new CommandFailure(EXIT.refused, 'Give either --per-day or --none');
        }
        const done = await setOutboundQuota(orgId, options.perDay ?? null, await deployment());
        output.object(done, 'Changed the quota of the organization');
      }),
    );

  addOrgDelete(org, run);

  org
    .command('list')
    .description('list all organizations, by name (reads the whole configuration table)')
    .addHelpText('after', '\nExample:\n  va-wave org list')
    .action(() =>
      run(async ({ output, deployment, hint }) => {
        const { store } = await deployment();
        const organizations: Organization[] = [];
        output.doing('Reading organizations');
        for await (const organization of store.listOrganizations()) {
          organizations.push(organization);
          output.doing(`Reading organizations: ${organizations.length}`);
        }
        organizations.sort((a, b) => a.name.localeCompare(b.name) || a.org_id.localeCompare(b.org_id));
        output.list(
          organizations,
          `No organizations yet: ${hint('org create --name …')}`,
          organizations.map(({ org_id, plan, created_at, name }) => ({ org_id, plan, created: created_at, name })),
        );
      }),
    );
}

async function changeSuspension(orgId: string, suspended: boolean, { output, deployment }: CommandRun): Promise<void> {
  const done = await setSuspended(orgId, suspended, await deployment());
  output.object(done, suspended ? 'Suspended the organization' : 'Resumed the organization');
}
