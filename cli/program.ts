import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as z from 'zod';
import { parseJson } from '../src/contract/json.ts';
import { commandRunOf, type Run } from './command-run.ts';
import { addActionCommands } from './commands/action.ts';
import { addAssistantCommands } from './commands/assistant.ts';
import { addDeliveriesCommand } from './commands/deliveries.ts';
import { addDeliveryCommands } from './commands/delivery.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventCommands } from './commands/event.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addMemberCommands } from './commands/member.ts';
import { addOrgCommands } from './commands/org.ts';
import { addEraseCommand, addExportCommand } from './commands/person.ts';
import { addReceiveCommand } from './commands/receive.ts';
import { addRedriveCommand } from './commands/redrive.ts';
import { addSecretCommands } from './commands/secret.ts';
import { addToolCommands } from './commands/tool.ts';
import { addUsageCommands } from './commands/usage.ts';
import { addUseCommand } from './commands/use.ts';
import { DEFAULT_READY_FILE, DEFAULT_STACK } from './connection.ts';
import { applyContext, contextOf, dropForeignSite } from './context.ts';
import { EXIT, EXIT_CODES_HELP, type ExitCode, failureOf } from './exit-codes.ts';
import { Output } from './output.ts';
import type { CliProcess } from './process.ts';

const { version } = z
  .object({ version: z.string() })
  .parse(parseJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

/**
 * Creates the commands and their options.
 * @param run is called with the work of the chosen command
 */
export function commandLine(run: Run): Command {
  const program = new Command('va-wave')
    .description('The command line for operators: organizations, assistants, Actions, events and the delivery log.')
    .version(version, '--version', 'show the version')
    .option('--json', 'print results as JSON on stdout, and an error as {"error": …} on stderr')
    .option('--local [ready-file]', `use the service that npm start runs (default ready file: ${DEFAULT_READY_FILE})`)
    .option('--stack <name>', `use this stack on AWS (default: VA_WAVE_STACK, then ${DEFAULT_STACK})`)
    .option('--region <region>', 'region of the stack (default: AWS_REGION, then the region of the profile)')
    .addHelpText(
      'after',
      `
The command line finds AWS credentials like other AWS tools: AWS_PROFILE, AWS_ACCESS_KEY_ID, ….
Only the commands secret and action secret print secrets.

${EXIT_CODES_HELP}

Examples:
  va-wave org create --name Demo --local
  va-wave assistant list --org org_… --stack VaWave --region eu-west-1
  va-wave deliveries act_… --json`,
    )
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows the options)');
  addUseCommand(program, run);
  addOrgCommands(program, run);
  addMemberCommands(program, run);
  addAssistantCommands(program, run);
  addActionCommands(program, run);
  addSecretCommands(program, run);
  addEventCommands(program, run);
  addToolCommands(program, run);
  addUsageCommands(program, run);
  addDeliveriesCommand(program, run);
  addDeliveryCommands(program, run);
  addExportCommand(program, run);
  addEraseCommand(program, run);
  addReceiveCommand(program, run);
  addRedriveCommand(program, run);
  addKeysCommands(program, run);
  addLogsCommand(program, run);
  addDoctorCommand(program, run);
  return program;
}

/**
 * Runs one command. It never throws.
 * @param words the command line without the program's name
 * @returns the exit code (exit-codes.ts)
 */
export async function runCommandLine(words: readonly string[], cliProcess: CliProcess): Promise<ExitCode> {
  const output = new Output(words.includes('--json'), cliProcess);
  let exitCode: ExitCode = EXIT.done;
  const program = commandLine((work) => work(commandRunOf(program, cliProcess, output)));
  // By its letters, `delivery` is nearer, which shows one delivery.
  program
    .command('deliverys', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => program.error("error: unknown command 'deliverys'\n(Did you mean deliveries?)"));
  const quiet = { writeOut: cliProcess.stdout, writeErr: output.json ? () => {} : cliProcess.stderr };
  for (const command of withSubcommands(program)) command.exitOverride().configureOutput(quiet);
  program.hook('preAction', (_, command) => dropForeignSite(command));
  try {
    applyContext(program, await contextOf(words, cliProcess));
    await program.parseAsync(readyFileApart(words), { from: 'user' });
  } catch (error) {
    const failure = failureOf(error);
    exitCode = failure.exitCode;
    // Commander has already reported a wrong command line, except with --json.
    const reported = error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
    if (exitCode !== EXIT.done && (output.json || !reported)) output.error(failure.message);
  }
  output.done();
  return exitCode;
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Makes the next word the ready file of `--local` only if it is a JSON file. In `va-wave --local org list` it is not. */
function readyFileApart(words: readonly string[]): string[] {
  return words.map((word, index) => (word === '--local' && !words[index + 1]?.endsWith('.json') ? '--local=' : word));
}
