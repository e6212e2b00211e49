import type { Command } from 'commander';
import type { ErasePorts } from '../src/domain/operations/erase.ts';
import type { Deployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { plainText } from './plain-text.ts';
import type { CliProcess, Target } from './process.ts';

/** The deployment, and the steps of long work: each reports itself and ends the work when Ctrl-C was pressed. */
export type Ports = Deployment & Pick<ErasePorts, 'step' | 'pause'>;

/** The run of one command. */
export type CommandRun = {
  readonly cliProcess: CliProcess;
  /** The deployment that the options or the environment name. */
  readonly target: Target;
  readonly output: Output;
  /** Returns a command for the same deployment that the operator can paste. */
  readonly hint: (words: string) => string;
  /** Connects to the deployment at the first call. */
  readonly deployment: () => Promise<Ports>;
};

/** Runs the work of a command. */
export type Run = (work: (commandRun: CommandRun) => Promise<void>) => Promise<void>;

/** Prepares the run of a command of this program, whose options have been parsed. */
export function commandRunOf(program: Command, cliProcess: CliProcess, output: Output): CommandRun {
  const given = program.opts<Target>();
  const target = targetOf(given, cliProcess);
  let connecting: Promise<Deployment> | undefined;
  const pause = async (milliseconds: number) => {
    if (await cliProcess.pause(milliseconds)) return;
    throw new CommandFailure(EXIT.fault, 'Interrupted: run the command again to continue');
  };
  const step = (text: string) => {
    output.doing(text);
    return pause(0);
  };
  return {
    cliProcess,
    target,
    output,
    // A hint does not repeat the environment.
    hint: (words) => {
      const named = (['local', 'stack', 'region'] as const).filter((name) => given[name] !== undefined);
      return ['npx va-wave', words, ...named.map((name) => `--${name} ${given[name]}`.trimEnd())].join(' ');
    },
    deployment: async () => {
      output.doing('Finding the deployment');
      connecting ??= cliProcess.connect(target);
      return { ...(await connecting), step, pause };
    },
  };
}

/** Completes the options with the environment, which names a deployment only where they name none. */
function targetOf(given: Target, { environment: { VA_WAVE_LOCAL, VA_WAVE_STACK } }: CliProcess): Target {
  if (given.local !== undefined || given.stack !== undefined) return given;
  if (VA_WAVE_LOCAL && given.region === undefined) return { local: VA_WAVE_LOCAL };
  return VA_WAVE_STACK ? { ...given, stack: VA_WAVE_STACK } : given;
}

/**
 * Asks the operator to confirm a command that cannot be undone. A script must use --yes.
 * @throws CommandFailure when the answer is no, and without a terminal
 */
export async function confirmed(commandRun: CommandRun, yes: boolean | undefined, question: string): Promise<void> {
  await ask(commandRun, yes, { question, how: '[y/N]', isYes: (answer) => /^y(es)?$/i.test(answer) });
}

/**
 * Asks the operator to type the id of what the command erases. A script must use --yes.
 * @throws CommandFailure when the operator types another text, and without a terminal
 */
export async function confirmedById(
  commandRun: CommandRun,
  yes: boolean | undefined,
  { id, question }: { readonly id: string; readonly question: string },
): Promise<void> {
  await ask(commandRun, yes, { question, how: `Type ${id} to continue:`, isYes: (answer) => answer === id });
}

async function ask(
  { cliProcess, output }: CommandRun,
  yes: boolean | undefined,
  { question, how, isYes }: { question: string; how: string; isYes: (answer: string) => boolean },
): Promise<void> {
  if (yes === true) return;
  if (!cliProcess.terminal) {
    throw new CommandFailure(EXIT.notConfirmed, `${question} There is no terminal for the answer: use --yes`);
  }
  output.done();
  const answer = await cliProcess.ask(`${plainText(question)} ${how} `);
  if (!isYes(answer)) throw new CommandFailure(EXIT.notConfirmed, 'Nothing was changed');
}
