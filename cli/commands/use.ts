import { resolve } from 'node:path';
import type { Command } from 'commander';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { requireOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import type { CommandRun, Run } from '../command-run.ts';
import { DEFAULT_READY_FILE, type Target } from '../connection.ts';
import { type Context, contextFile, contextOf } from '../context.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { safeJson } from '../plain-text.ts';

type Options = { readonly org?: string; readonly site?: string; readonly clear?: true };

/** Adds the command that stores the defaults of the next commands. */
export function addUseCommand(program: Command, run: Run): void {
  program
    .command('use')
    .description('store the default deployment, organization and assistant; without options, show them')
    .option('--org <org_id>', 'organization')
    .option('--site <site_id>', 'assistant; also sets its organization')
    .option('--clear', 'remove all defaults')
    .addHelpText(
      'after',
      `
Options of a command take precedence over the environment (VA_WAVE_LOCAL=1 or a ready file, VA_WAVE_STACK, VA_WAVE_ORG, VA_WAVE_SITE).
The environment takes precedence over the stored defaults in ~/.config/va-wave/context.json. A command that names a deployment uses no
stored ids. Commands that delete, suspend or regenerate require their id on the command line.

Examples:
  va-wave use --local --site site_…
  va-wave use --stack VaWave --region eu-west-1 --org org_…
  va-wave use`,
    )
    .action((options: Options, command: Command) =>
      run(async (commandRun) => {
        const { cliProcess, target } = commandRun;
        const file = contextFile(cliProcess);
        if (file === undefined)
          throw new CommandFailure(
            EXIT.refused,
            'HOME is not set, so the defaults cannot be stored: use the environment',
          );
        const { clear, ...toStore } = options;
        const globals = command.parent ?? command;
        const named = ['local', 'stack', 'region'].some((name) => globals.getOptionValueSource(name) === 'cli');
        const isEmpty = !named && Object.keys(toStore).length === 0;
        if (clear && !isEmpty) throw new CommandFailure(EXIT.refused, '--clear allows no other option');
        if (!clear && isEmpty) return show('Defaults', await contextOf([], cliProcess), commandRun);
        const next = clear ? {} : { ...deployment(target), ...(await ids(toStore, commandRun)) };
        await cliProcess.writeFile(file, `${safeJson(next)}\n`);
        show(clear ? 'Removed the defaults' : 'Stored the defaults', next, commandRun);
      }),
    );
}

/** Returns what a context stores about a deployment. Commands can run in any folder, so it has the absolute path of a ready file. */
function deployment({ local, stack, region }: Target): Context {
  return local === undefined
    ? { ...(stack && { stack }), ...(region && { region }) }
    : { local: resolve(local || DEFAULT_READY_FILE) };
}

/** Checks the ids. @throws Refusal 404, CommandFailure when the assistant does not belong to the organization */
async function ids({ org, site }: Pick<Options, 'org' | 'site'>, commandRun: CommandRun): Promise<Context> {
  if (site !== undefined) {
    const { org_id } = await requireAssistant(site, await commandRun.deployment());
    if (org !== undefined && org !== org_id) {
      throw new CommandFailure(EXIT.refused, `site: ${site} does not belong to ${org}`);
    }
    return { org: org_id, site };
  }
  if (org === undefined) return {};
  await requireOrganization(org, await commandRun.deployment());
  return { org };
}

function show(headline: string, context: Context, { output }: CommandRun): void {
  output.object(context, Object.keys(context).length === 0 ? 'No defaults' : headline);
}
