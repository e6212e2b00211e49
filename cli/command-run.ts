import type { Target } from './connection.ts';
import type { Deployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { plainText } from './plain-text.ts';
import type { CliProcess } from './process.ts';
import type { Progress } from './progress.ts';

/** The run of one command. */
export type CommandRun = {
  readonly cliProcess: CliProcess;
  /** The deployment that the options name. */
  readonly target: Target;
  readonly output: Output;
  readonly progress: Progress;
  /** Returns a command for the same deployment that the operator can paste. */
  readonly hint: (words: string) => string;
  /** Connects to the deployment at the first call. */
  readonly deployment: () => Promise<Deployment>;
};

/** Runs the work of a command. */
export type Run = (work: (commandRun: CommandRun) => Promise<void>) => Promise<void>;

/** Returns the function `hint`. @param options the options that name the deployment; a hint does not repeat the context */
export function hintTo(options: Readonly<Record<string, unknown>>): (words: string) => string {
  const { local, stack, region } = options;
  const named = Object.entries({ local, stack, region }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name}${value === '' ? '' : ` ${value}`}`],
  );
  return (words) => `npx va-wave ${words}${named.join('')}`;
}

/** @returns a function that connects once */
export function connectOnce(cliProcess: CliProcess, target: Target, progress: Progress): () => Promise<Deployment> {
  let connecting: Promise<Deployment> | undefined;
  return () => {
    progress.doing('Finding the deployment');
    connecting ??= cliProcess.connect(target);
    return connecting;
  };
}

/**
 * Asks the operator to confirm a command that cannot be undone. A script must use --yes.
 * @throws CommandFailure when the answer is no, and without a terminal
 */
export async function confirmed(commandRun: CommandRun, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return;
  const answer = await asked(commandRun, question, '[y/N]');
  if (!/^y(es)?$/i.test(answer)) throw nothingChanged();
}

/**
 * Asks the operator to type the id of what the command erases. A script must use --yes.
 * @throws CommandFailure when the operator types another text, and without a terminal
 */
export async function confirmedById(
  commandRun: CommandRun,
  options: { readonly yes: boolean | undefined; readonly id: string; readonly question: string },
): Promise<void> {
  if (options.yes === true) return;
  const answer = await asked(commandRun, options.question, `Type ${options.id} to continue:`);
  if (answer !== options.id) throw nothingChanged();
}

async function asked({ cliProcess, progress }: CommandRun, question: string, how: string): Promise<string> {
  if (!cliProcess.terminal) {
    throw new CommandFailure(EXIT.notConfirmed, `${question} There is no terminal for the answer: use --yes`);
  }
  progress.end();
  return cliProcess.ask(`${plainText(question)} ${how} `);
}

/** Pauses work that can be repeated. @throws CommandFailure when Ctrl-C was pressed */
export async function pauseOrEnd({ cliProcess }: CommandRun, milliseconds: number): Promise<void> {
  if (await cliProcess.pause(milliseconds)) return;
  throw new CommandFailure(EXIT.fault, 'Interrupted: run the command again to continue');
}

/** Returns a function that reports the current step. That function throws CommandFailure when Ctrl-C was pressed. */
export function steps(commandRun: CommandRun): (text: string) => Promise<void> {
  return async (text) => {
    commandRun.progress.doing(text);
    await pauseOrEnd(commandRun, 0);
  };
}

const nothingChanged = () => new CommandFailure(EXIT.notConfirmed, 'Nothing was changed');
