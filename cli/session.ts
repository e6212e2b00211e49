import type { Target } from './connection.ts';
import type { Deployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { plainText } from './plain-text.ts';
import type { CliProcess } from './process.ts';
import type { Progress } from './progress.ts';

/** One run of one command. */
export type Session = {
  readonly cliProcess: CliProcess;
  /** What the options name. */
  readonly target: Target;
  readonly output: Output;
  readonly progress: Progress;
  /** A command to paste, for the same deployment. */
  readonly hint: (words: string) => string;
  /** The deployment that the options name, found when it is first needed. */
  readonly deployment: () => Promise<Deployment>;
};

/** Wraps the work of a command into what commander calls. */
export type Run = (work: (session: Session) => Promise<void>) => Promise<void>;

/** @param options those that name the deployment; what the context says needs no repetition */
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
 * Asks before something that cannot be undone. A script has to say --yes: nothing is taken for a yes that nobody said.
 * @throws CommandFailure on no, and where there is nobody to ask
 */
export async function confirmed(session: Session, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return;
  const answer = await asked(session, question, '[y/N]');
  if (!/^y(es)?$/i.test(answer)) throw nothingChanged();
}

/**
 * Asks for the id of what will be gone for good; a script has to say --yes.
 * @throws CommandFailure when it was not typed, and where there is nobody to ask
 */
export async function confirmedById(
  session: Session,
  options: { readonly yes: boolean | undefined; readonly id: string; readonly question: string },
): Promise<void> {
  if (options.yes === true) return;
  const answer = await asked(session, options.question, `Type ${options.id} to go on:`);
  if (answer !== options.id) throw nothingChanged();
}

async function asked({ cliProcess, progress }: Session, question: string, how: string): Promise<string> {
  if (!cliProcess.terminal) {
    throw new CommandFailure(EXIT.notConfirmed, `${question} There is no terminal to ask at: say --yes`);
  }
  progress.end();
  return cliProcess.ask(`${plainText(question)} ${how} `);
}

/** Ends work that can be run again once Ctrl-C was pressed. @throws CommandFailure */
export async function pauseOrEnd({ cliProcess }: Session, milliseconds: number): Promise<void> {
  if (await cliProcess.pause(milliseconds)) return;
  throw new CommandFailure(EXIT.fault, 'Interrupted; run it again to go on');
}

/** Says what is being done, and ends it once Ctrl-C was pressed. */
export function steps(session: Session): (text: string) => Promise<void> {
  return async (text) => {
    session.progress.doing(text);
    await pauseOrEnd(session, 0);
  };
}

const nothingChanged = () => new CommandFailure(EXIT.notConfirmed, 'Nothing was changed');
