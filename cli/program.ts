import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { CliCommand, type Runs } from './command.ts';
import { commandFailureOf, EXIT, EXIT_CODES_HELP, type ExitCode } from './exit-codes.ts';
import { CommandOutput, plainText } from './output.ts';
import { type CliProcess, DEFAULT_READY_FILE, DEFAULT_STACK } from './process.ts';

/** What a file of commands exports. `addTo` adds the subcommands of a command, or its options and its work. */
type Commands = { readonly addTo: (command: CliCommand) => void };

/** The commands, each with its description and its file, which is loaded when the command is called: loading all takes most of a run. */
const COMMANDS: readonly (readonly [usage: string, description: string, load: () => Promise<Commands>])[] = [
  ['org', 'organizations: your customers, and their plan', () => import('./commands/org.ts')],
  ['member', 'members: users of the dashboard of an organization', () => import('./commands/member.ts')],
  ['assistant', 'assistants: the widget sites of an organization', () => import('./commands/assistant.ts')],
  ['action', 'Actions: signed requests to an endpoint of the customer', () => import('./commands/action.ts')],
  ['secret', 'server secrets, with which customer backends mint session tokens', () => import('./commands/secret.ts')],
  ['event', 'catalog events, as the platform puts them on the bus', () => import('./commands/event.ts')],
  ['tool', 'AI-decided Actions as tools of the assistant runtime', () => import('./commands/tool.ts')],
  ['usage', 'reports to usage webhooks, as the assistant runtime makes them', () => import('./commands/usage.ts')],
  ['deliveries', 'the delivery log of an Action, or of usage webhooks', () => import('./commands/deliveries.ts')],
  ['export', "write a delivery log or a person's data as JSON Lines", () => import('./commands/export.ts')],
  ['erase', "erase a person's data; the outcomes of deliveries stay", () => import('./commands/erase.ts')],
  ['receive', 'receive Actions and usage webhooks on this machine', () => import('./commands/receive.ts')],
  ['warm', 'prepare the tables for a known load, before it comes', () => import('./commands/warm.ts')],
  ['redrive', 'move dead letters back to their queue', () => import('./commands/redrive.ts')],
  ['keys', "the service's own keys; those of session tokens rotate by themselves", () => import('./commands/keys.ts')],
  ['logs', 'show what a function logged, oldest first', () => import('./commands/logs.ts')],
  ['trace', 'find an id in the logs: of a request, a submission, an event', () => import('./commands/trace.ts')],
  ['doctor', 'check an AWS account before the first deployment', () => import('./commands/doctor.ts')],
];

/** @param words the command line; undefined for the options of all commands @param runs undefined: they do nothing */
export async function commandLine(words?: readonly string[], runs?: Runs): Promise<Command> {
  const program = new CliCommand('va-wave', runs)
    .description('The command line for operators: organizations, assistants, Actions, events and the delivery log.')
    .version(packageJson.version, '--version', 'show the version')
    .option('--json', 'print results as JSON on stdout, and an error as {"error": …} on stderr')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .option(
      '--local [file.json]',
      `use the service that npm start runs, by its ready file (default: VA_WAVE_LOCAL, then ${DEFAULT_READY_FILE})`,
    )
    .option(
      '--stack <name>',
      `use this stack on AWS, or <stack>/<construct> (default: VA_WAVE_STACK, then ${DEFAULT_STACK})`,
    )
    .option(
      '--region <region>',
      'region of the stack (default: AWS_REGION, AWS_DEFAULT_REGION, then the region of the profile)',
    )
    .option('--configuration-table <name>', "use this table instead of the stack's, such as a restored one")
    .option('--conversations-table <name>', "use this table instead of the stack's, such as a restored one")
    .notes(
      `The command line finds AWS credentials like other AWS tools: AWS_PROFILE, AWS_ACCESS_KEY_ID, ….
Only the commands secret and action secret print secrets.

${EXIT_CODES_HELP}`,
    )
    .examples(
      'va-wave org create --name Demo --local',
      'va-wave assistant list --org org_… --stack VaWave --region eu-west-1',
      'va-wave deliveries act_… --json',
    )
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows the options)');
  if (runs !== undefined) {
    const { cliProcess, output } = runs;
    program.exitOverride();
    // Its message about an option repeats the value.
    const writeErr = (text: string) => cliProcess.stderr(text.split('\n').map(plainText).join('\n'));
    program.configureOutput({ writeOut: cliProcess.stdout, writeErr: output.json ? () => {} : writeErr });
  }
  // Last, because a command inherits the settings that its parent has at this moment.
  for (const [name, description, load] of COMMANDS) {
    const command = program.command(name).description(description);
    if (words?.includes(name) !== false) (await load()).addTo(command);
  }
  return program;
}

/** Runs one command, and never throws. @param words the command line without the program's name */
export async function runCommandLine(words: readonly string[], cliProcess: CliProcess): Promise<ExitCode> {
  const output = new CommandOutput(words.includes('--json'), cliProcess);
  let exitCode: ExitCode = EXIT.done;
  try {
    const program = await commandLine(words, { cliProcess, output });
    await program.parseAsync(readyFileApart(words), { from: 'user' });
  } catch (error) {
    const failure = commandFailureOf(error);
    exitCode = failure.exitCode;
    // Commander has already reported a wrong command line, except with --json.
    const reported = error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
    if (exitCode !== EXIT.done && (output.json || !reported)) output.error(failure.message);
  }
  output.endProgress();
  return exitCode;
}

/** Makes the next word the ready file of `--local` only if it is a JSON file. In `va-wave --local org list` it is not. */
function readyFileApart(words: readonly string[]): string[] {
  return words.map((word, index) => (word === '--local' && !words[index + 1]?.endsWith('.json') ? '--local=' : word));
}
