import type { Command } from 'commander';
import type { Deployment } from './deployment.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { type Output, plainText } from './output.ts';
import type { CliProcess, Target } from './process.ts';

/** The run of one command. */
export type CommandRun = {
  readonly cliProcess: CliProcess;
  /** The deployment that the options or the environment name. */
  readonly target: Target;
  readonly output: Output;
  /** Returns a command for the same deployment that the operator can paste. */
  readonly hint: (words: string) => string;
  /** Whether the operator gave --yes. */
  readonly yes: boolean;
  /**
   * Asks the operator to confirm what cannot be undone: with y, or by typing the id. A script must give --yes.
   * @throws CommandFailure when the operator answers otherwise, and without a terminal
   */
  readonly confirm: (question: string, id?: string) => Promise<void>;
};

/** The run of a command that uses the deployment. */
export type ConnectedRun = CommandRun & {
  readonly ports: Deployment & {
    /** Reports a step of long work. Throws when Ctrl-C was pressed. */
    readonly step: (text: string) => Promise<void>;
    /** Waits. Throws when Ctrl-C is pressed. */
    readonly pause: (milliseconds: number) => Promise<void>;
  };
};

type ActionOf<Context> = <Given extends unknown[]>(
  work: (commandRun: Context, ...given: Given) => Promise<void>,
) => (...given: Given) => Promise<void>;

/** Makes the work of a command its action: connected to the deployment, or alone when the command does not use the deployment. */
export type Run = ActionOf<ConnectedRun> & { readonly alone: ActionOf<CommandRun> };

/** Runs the commands of this program, whose options are parsed when a command runs. */
export function runOf(program: Command, cliProcess: CliProcess, output: Output): Run {
  const contextOf = (): CommandRun => {
    const { yes = false, ...given } = program.opts<Target & { yes?: true }>();
    return {
      cliProcess,
      target: targetOf(given, cliProcess),
      output,
      // A hint does not repeat the environment.
      hint: (words) => {
        const named = (['local', 'stack', 'region'] as const).filter((name) => given[name] !== undefined);
        return ['npx va-wave', words, ...named.map((name) => `--${name} ${given[name]}`.trimEnd())].join(' ');
      },
      yes,
      confirm: async (question, id) => {
        if (yes) return;
        if (!cliProcess.terminal) {
          throw new CommandFailure(EXIT.notConfirmed, `${question} There is no terminal for the answer: use --yes`);
        }
        output.done();
        const how = id === undefined ? '[y/N]' : `Type ${id} to continue:`;
        const answer = await cliProcess.ask(`${plainText(question)} ${how} `);
        const isYes = id === undefined ? /^y(es)?$/i.test(answer) : answer === id;
        if (!isYes) throw new CommandFailure(EXIT.notConfirmed, 'Nothing was changed');
      },
    };
  };
  const pause = async (milliseconds: number) => {
    if (await cliProcess.pause(milliseconds)) return;
    throw new CommandFailure(EXIT.fault, 'Interrupted: run the command again to continue');
  };
  const step = (text: string) => {
    output.doing(text);
    return pause(0);
  };
  const connected: ActionOf<ConnectedRun> =
    (work) =>
    async (...given) => {
      const commandRun = contextOf();
      output.doing('Finding the deployment');
      const deployment = await cliProcess.connect(commandRun.target);
      await work({ ...commandRun, ports: { ...deployment, step, pause } }, ...given);
    };
  const alone: ActionOf<CommandRun> =
    (work) =>
    (...given) =>
      work(contextOf(), ...given);
  return Object.assign(connected, { alone });
}

/** Completes the options with the environment, which names a deployment only where they name none. */
function targetOf(given: Target, { environment: { VA_WAVE_LOCAL, VA_WAVE_STACK } }: CliProcess): Target {
  if (given.local !== undefined || given.stack !== undefined) return given;
  if (VA_WAVE_LOCAL && given.region === undefined) return { local: VA_WAVE_LOCAL };
  return VA_WAVE_STACK ? { ...given, stack: VA_WAVE_STACK } : given;
}
