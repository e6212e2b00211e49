import type { Command } from 'commander';
import { eraseAssistant, eraseOrganization } from '../../src/domain/operations/erase.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { requireOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { confirmedById, type Run } from '../command-run.ts';

const HELP = `
The command erases the data of visitors in conversations and delivery logs. It takes at least 30 seconds. After an interruption, run it
again to continue. Backups of the tables keep all data for up to 35 days. First stop the assistant's runtime: a usage report with a
token of the last hour would still be written to the log.
`;

/** Adds `assistant delete`. */
export function addAssistantDelete(assistant: Command, run: Run): void {
  assistant
    .command('delete <site_id>')
    .description('erase an assistant, its Actions, and all data of its visitors')
    .option('--yes', 'do not ask for the id; required without a terminal')
    .addHelpText('after', `${HELP}\nExample:\n  va-wave assistant delete site_…`)
    .action((siteId: string, options: { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        const { name } = await requireAssistant(siteId, ports);
        const question = `Erase the assistant ${name} (${siteId}) and all data of its visitors?`;
        await confirmedById(commandRun, options.yes, { id: siteId, question });
        const erased = await eraseAssistant(siteId, ports);
        commandRun.output.object({ site_id: siteId, ...erased }, 'Erased the assistant');
      }),
    );
}

/** Adds `org delete`. */
export function addOrgDelete(org: Command, run: Run): void {
  org
    .command('delete <org_id>')
    .description('erase an organization: members, assistants, Actions, audit trail, and all data of visitors')
    .option('--yes', 'do not ask for the id; required without a terminal')
    .addHelpText(
      'after',
      `${HELP}Logins are not erased, because they may belong to other organizations.\n\nExample:\n  va-wave org delete org_…`,
    )
    .action((orgId: string, options: { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        const { name } = await requireOrganization(orgId, ports);
        const question = `Erase the organization ${name} (${orgId}) and all data of its visitors?`;
        await confirmedById(commandRun, options.yes, { id: orgId, question });
        const erased = await eraseOrganization(orgId, ports);
        commandRun.output.object({ org_id: orgId, ...erased }, 'Erased the organization');
      }),
    );
}
