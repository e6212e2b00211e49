import type { Command } from 'commander';
import { type Organization, PLANS } from '../../src/contract/organizations.ts';
import { createOrganization, updateOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import type { Run } from '../session.ts';
import { spelled } from '../values.ts';
import { addOrgDelete } from './erase.ts';

const fields = ({ org_id, name, plan, created_at }: Organization): [string, string][] => [
  ['org_id', org_id],
  ['name', name],
  ['plan', plan],
  ['created', created_at],
];

const plan = (text: string) => spelled(PLANS, text);

/** Organizations: an operator's customers. */
export function addOrgCommands(program: Command, run: Run): void {
  const org = program.command('org').description('organizations: your customers, and their plan');

  org
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid; Session Signed is for paid ones', plan, 'free')
    .addHelpText('after', "\nExample:\n  va-wave org create --name 'Corner Shop' --plan paid")
    .action((options: { name: string; plan: string }) =>
      run(async ({ output, deployment }) => {
        const organization = await createOrganization(options, await deployment());
        output.object(organization, 'Created the organization', fields(organization));
      }),
    );

  org
    .command('update <org_id>')
    .description('change name or plan; after a downgrade, Session Signed goes on where it is selected')
    .option('--name <name>', 'at most 100 characters')
    .option('--plan <plan>', 'free or paid', plan)
    .addHelpText('after', '\nExample:\n  va-wave org update org_… --plan free')
    .action((orgId: string, options: { name?: string; plan?: string }) =>
      run(async ({ output, deployment }) => {
        if (options.name === undefined && options.plan === undefined) {
          throw new CommandFailure(EXIT.refused, 'Nothing to change: give --name or --plan');
        }
        const organization = await updateOrganization(orgId, options, await deployment());
        output.object(organization, 'Changed the organization', fields(organization));
      }),
    );

  addOrgDelete(org, run);

  org
    .command('list')
    .description('list all organizations, by name (reads the whole configuration table)')
    .addHelpText('after', '\nExample:\n  va-wave org list')
    .action(() =>
      run(async ({ output, deployment, progress }) => {
        const { store } = await deployment();
        const organizations: Organization[] = [];
        progress.doing('Reading organizations');
        for await (const organization of store.listOrganizations()) {
          organizations.push(organization);
          progress.doing(`Reading organizations: ${organizations.length}`);
        }
        organizations.sort((a, b) => a.name.localeCompare(b.name) || a.org_id.localeCompare(b.org_id));
        progress.end();
        output.list(
          organizations,
          'No organizations yet: va-wave org create --name …',
          organizations.map(({ org_id, plan, created_at, name }) => ({ org_id, plan, created: created_at, name })),
        );
      }),
    );
}
