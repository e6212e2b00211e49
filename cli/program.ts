import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { commandRunOf, type Run } from './command-run.ts';
import { EXIT, EXIT_CODES_HELP, type ExitCode, failureOf } from './exit-codes.ts';
import { Output } from './output.ts';
import { type CliProcess, DEFAULT_READY_FILE, DEFAULT_STACK } from './process.ts';

/** The commands, each with its description and what loads its options and subcommands. Loading them all would take most of a run. */
const COMMANDS: readonly (readonly [string, string, () => Promise<(command: Command, run: Run) => void>])[] = [
  [
    'org',
    'organizations: your customers, and their plan',
    async () => (await import('./commands/org.ts')).addOrgCommands,
  ],
  [
    'member',
    'members: users of the dashboard of an organization',
    async () => (await import('./commands/member.ts')).addMemberCommands,
  ],
  [
    'assistant',
    'assistants: the widget sites of an organization',
    async () => (await import('./commands/assistant.ts')).addAssistantCommands,
  ],
  [
    'action',
    'Actions: signed requests to an endpoint of the customer',
    async () => (await import('./commands/action.ts')).addActionCommands,
  ],
  [
    'secret',
    'server secrets, with which a customer backend mints session tokens (Session Signed)',
    async () => (await import('./commands/secret.ts')).addSecretCommands,
  ],
  [
    'event',
    'catalog events, as the platform puts them on the bus',
    async () => (await import('./commands/event.ts')).addEventCommands,
  ],
  [
    'tool',
    'AI-decided Actions as tools of the assistant runtime',
    async () => (await import('./commands/tool.ts')).addToolCommands,
  ],
  [
    'usage',
    'reports to usage webhooks, as the assistant runtime makes them',
    async () => (await import('./commands/usage.ts')).addUsageCommands,
  ],
  [
    'deliveries <id>',
    'show the delivery log of an Action, or of the usage webhooks of an assistant: latest attempt first',
    async () => (await import('./commands/deliveries.ts')).addDeliveriesCommand,
  ],
  ['delivery', 'one delivery of the log', async () => (await import('./commands/delivery.ts')).addDeliveryCommands],
  [
    'export',
    "write an organization's delivery log, or one person's data, as JSON Lines",
    async () => (await import('./commands/person.ts')).addExportCommand,
  ],
  [
    'erase',
    "erase a person's data in one organization; the outcomes of deliveries stay",
    async () => (await import('./commands/person.ts')).addEraseCommand,
  ],
  [
    'receive',
    'receive Actions and usage webhooks on this machine (with --local): verify and print each request, and send the chosen answer',
    async () => (await import('./commands/receive.ts')).addReceiveCommand,
  ],
  [
    'warm',
    'prepare the tables for a known load, before it comes',
    async () => (await import('./commands/warm.ts')).addWarmCommand,
  ],
  [
    'redrive',
    'move dead letters back to their queue; completed deliveries are not repeated',
    async () => (await import('./commands/redrive.ts')).addRedriveCommand,
  ],
  [
    'keys',
    "the service's own keys; the keys of session tokens rotate automatically",
    async () => (await import('./commands/keys.ts')).addKeysCommands,
  ],
  [
    'logs',
    'show what a function logged, oldest first',
    async () => (await import('./commands/logs.ts')).addLogsCommand,
  ],
  [
    'doctor',
    'check the quotas of an AWS account and show what is missing before the first deployment',
    async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  ],
];

/**
 * Creates the commands, with the options of those that the words name.
 * @param run is called with the work of the chosen command
 * @param words the command line, or undefined for the options of all commands
 */
export async function commandLine(run: Run, words?: readonly string[]): Promise<Command> {
  const program = new Command('va-wave')
    .description('The command line for operators: organizations, assistants, Actions, events and the delivery log.')
    .version(packageJson.version, '--version', 'show the version')
    .option('--json', 'print results as JSON on stdout, and an error as {"error": …} on stderr')
    .option(
      '--local [ready-file]',
      `use the service that npm start runs (default: VA_WAVE_LOCAL, then ${DEFAULT_READY_FILE})`,
    )
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
  for (const [usage, description, load] of COMMANDS) {
    const command = program.command(usage).description(description);
    if (words?.includes(command.name()) !== false) (await load())(command, run);
  }
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
  const program = await commandLine((work) => work(commandRunOf(program, cliProcess, output)), words);
  // By its letters, `delivery` is nearer, which shows one delivery.
  program
    .command('deliverys', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => program.error("error: unknown command 'deliverys'\n(Did you mean deliveries?)"));
  const quiet = { writeOut: cliProcess.stdout, writeErr: output.json ? () => {} : cliProcess.stderr };
  for (const command of withSubcommands(program)) command.exitOverride().configureOutput(quiet);
  try {
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
