import { Command, Option } from 'commander';
import { requireReadable } from '../src/domain/organizations/suspension-and-quota.ts';
import { Refusal } from '../src/domain/refusal.ts';
import type { Deployment } from './deployment.ts';
import { CommandFailure, EXIT, type ExitCode } from './exit-codes.ts';
import { type CommandOutput, plainText } from './output.ts';
import type { CliProcess, MfaCode, Target } from './process.ts';

export type CommandRun = {
  readonly cliProcess: CliProcess;
  readonly target: Target;
  readonly output: CommandOutput;
  /** Returns a command for the same deployment that the operator can paste. */
  readonly hint: (words: string) => string;
  readonly yes: boolean;
  /** Asks the operator to confirm: with y, or by typing the id. A script must give --yes. @throws CommandFailure for another answer, and without a terminal */
  readonly confirm: (question: string, id?: string) => Promise<void>;
  /** @throws CommandFailure without a terminal */
  readonly mfaCode: MfaCode;
};

export type Runs = Pick<CommandRun, 'cliProcess' | 'output'>;

export type ConnectedRun = CommandRun & {
  readonly context: Deployment & {
    /** Reports a step of long work. Throws when Ctrl-C was pressed. */
    readonly step: (text: string) => Promise<void>;
    /** Waits. Throws when Ctrl-C is pressed. */
    readonly pause: (milliseconds: number) => Promise<void>;
  };
};

type Work<Run, Given extends unknown[]> = (run: Run, ...given: Given) => Promise<void>;

/** An option that fills a field of another name. A refusal of the field names the option. */
export class FieldOption<Value = string> extends Option {
  readonly field: string;

  constructor(field: string, flags: string, text: string, parse?: (text: string, previous: Value) => Value) {
    super(flags, text);
    this.field = field;
    if (parse !== undefined) this.argParser(parse);
  }
}

/** Returns whether a word names an option that can stand after this command. */
function namesOption({ options, parent }: Command, word: string): boolean {
  const [name] = word.split('=');
  if (name === '--help' || options.some(({ long }) => long === name)) return true;
  return parent !== null && namesOption(parent, word);
}

/** A command of commander. Its work gets a run, and then the arguments and options. */
export class CliCommand extends Command {
  readonly #runs: Runs | undefined;

  /** @param runs undefined where commands are only described and do nothing, as in tests of the documents */
  constructor(name: string | undefined, runs: Runs | undefined) {
    super(name);
    this.#runs = runs;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.#runs);
  }

  /** Takes no other option as the value of this one, as after `--org $ORG` with an unset variable. */
  override addOption(option: Option): this {
    this.on(`option:${option.name()}`, (value: unknown) => {
      if (!namesOption(this, String(value))) return;
      this.error(`error: option '${option.flags}' argument missing`, { code: 'commander.optionMissingArgument' });
    });
    return super.addOption(option);
  }

  /** Ends the help with this text, which `examples` follow. */
  notes(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }

  examples(...examples: readonly string[]): this {
    const lines = examples.map((example) => `\n  ${example}`).join('');
    return this.addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:${lines}`);
  }

  /** Sets the work of a command that uses no deployment. A refusal then names options instead of fields. */
  alone<Given extends unknown[]>(work: Work<CommandRun, Given>): this {
    return this.action(async (...commandArguments: Given) => {
      if (this.#runs === undefined) return;
      try {
        await work(this.#commandRun(this.#runs), ...commandArguments);
      } catch (error) {
        throw error instanceof Refusal ? this.#namingOptions(error) : error;
      }
    });
  }

  /**
   * Names the options that fill the wrong fields: `form_fields.1.key` becomes `--field, no. 2, key`. An option fills the field of its own
   * name, or of its value's (`--org <org_id>`). A field without an option is an argument and keeps its name.
   */
  #namingOptions({ code, message, fields }: Refusal): Refusal {
    const optionOf = (part: string) =>
      this.options.find((option) =>
        option instanceof FieldOption
          ? option.field === part
          : option.long === `--${part.replaceAll('_', '-')}` || option.flags.endsWith(`<${part}>`),
      );
    const lines = fields.map((wrong) => {
      const path = wrong.field.split('.');
      const at = path.findIndex((part) => optionOf(part) !== undefined);
      const within = path.slice(at + 1).map((part) => (/^\d+$/.test(part) ? `no. ${Number(part) + 1}` : part));
      return `${at < 0 ? wrong.field : [optionOf(path[at] ?? '')?.long, ...within].join(', ')}: ${wrong.problem}`;
    });
    return new Refusal(code, { message: lines.join('; ') || message, fields });
  }

  /** Sets the work of a command that uses the deployment. After its work it fails, if there were records that it could not read. */
  withDeployment<Given extends unknown[]>(work: Work<ConnectedRun, Given>): this {
    return this.alone<Given>(async (commandRun, ...commandArguments) => {
      const { cliProcess, output, target, mfaCode } = commandRun;
      const pause = async (milliseconds: number) => {
        if (await cliProcess.pause(milliseconds)) return;
        throw new CommandFailure(EXIT.fault, 'Interrupted: run the command again to continue');
      };
      const step = (text: string) => {
        output.showProgress(text);
        return pause(0);
      };
      output.showProgress('Finding the deployment');
      const deployment = await cliProcess.connect(target, mfaCode);
      output.unreadableRecords = deployment.unreadableRecords;
      const requireAllRead = () => requireReadable(deployment.unreadableRecords());
      await work({ ...commandRun, context: { ...deployment, step, pause } }, ...commandArguments).catch(
        (error: unknown) => {
          // What is refused as missing may be what cannot be read.
          if (error instanceof Refusal) requireAllRead();
          throw error;
        },
      );
      requireAllRead();
    });
  }

  #commandRun({ cliProcess, output }: Runs): CommandRun {
    const { yes = false, ...options } = this.optsWithGlobals<Target & { yes?: true }>();
    const { local, stack, region, configurationTable, conversationsTable } = options;
    const targetOptions = { local, stack, region, configurationTable, conversationsTable };
    const ask = (question: string, exitCode: ExitCode, withoutTerminal: string): Promise<string> => {
      if (!cliProcess.terminal) throw new CommandFailure(exitCode, withoutTerminal);
      output.endProgress();
      return cliProcess.ask(plainText(question));
    };
    return {
      cliProcess,
      target: targetOf(targetOptions, cliProcess),
      output,
      // `given` and not `target`, because the environment also applies to the command of the hint.
      hint: (words) => ['npx --no-install va-wave', words, ...optionsOf(targetOptions)].join(' '),
      yes,
      confirm: async (question, id) => {
        if (yes) return;
        const how = id === undefined ? '[y/N]' : `Type ${id} to continue:`;
        const problem = `${question} There is no terminal for the answer: use --yes`;
        const answer = await ask(`${question} ${how} `, EXIT.notConfirmed, problem);
        const isYes = id === undefined ? /^y(es)?$/i.test(answer) : answer === id;
        if (!isYes) throw new CommandFailure(EXIT.notConfirmed, 'Nothing was changed');
      },
      mfaCode: (device) => {
        const question = `Code of the MFA device ${device}: `;
        const problem = `${question}there is no terminal for the answer: use a profile without it`;
        return ask(question, EXIT.refused, problem);
      },
    };
  }
}

/** Returns the options that name this deployment, as words of a shell. An empty value is that of `--local` without a file. */
function optionsOf(target: Target): readonly string[] {
  return Object.entries(target)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      if (value === '') return option;
      return `${option}=${/^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`;
    });
}

/** Completes the options with the environment, which names a deployment only where they name none. A region means AWS, and not VA_WAVE_LOCAL. */
function targetOf(targetOptions: Target, { environment: { VA_WAVE_LOCAL, VA_WAVE_STACK } }: CliProcess): Target {
  if (targetOptions.local === '') return { ...targetOptions, local: VA_WAVE_LOCAL ?? '' };
  if (targetOptions.local !== undefined || targetOptions.stack !== undefined) return targetOptions;
  if (VA_WAVE_LOCAL && targetOptions.region === undefined) return { ...targetOptions, local: VA_WAVE_LOCAL };
  return VA_WAVE_STACK ? { ...targetOptions, stack: VA_WAVE_STACK } : targetOptions;
}
