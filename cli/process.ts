import type { AccountFacts } from '../src/domain/operations/examine-account.ts';
import type { Deployment } from './deployment.ts';

export const DEFAULT_READY_FILE = '.local/ready.json';
export const DEFAULT_STACK = 'VaWave';

/** The deployment that the commands use. */
export type Target = {
  /** Ready file of the one-machine service; empty for the default file. */
  readonly local?: string;
  readonly stack?: string;
  readonly region?: string;
};

export type Write = (text: string) => void;

/** The functions and values that the command line needs from its process. Tests provide their own. */
export type CliProcess = {
  readonly stdout: Write;
  readonly stderr: Write;
  /** Whether stdin and stderr are a terminal, so that the operator can read a question and answer it. */
  readonly terminal: boolean;
  /** Width of stdout when it is a terminal. */
  readonly columns: number | undefined;
  readonly now: () => Date;
  /** Whether stdout has colours. */
  readonly colour: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @throws Error the error of the file system */
  readonly readFile: (path: string) => Promise<string>;
  /**
   * Writes lines to stdout, as fast as its reader takes them, or to a file that only its owner can read. The file replaces an existing one
   * when it is complete. @throws Error the error of the file system or of the lines
   */
  readonly writeLines: (path: string | undefined, lines: AsyncIterable<string>) => Promise<void>;
  readonly readStdin: () => Promise<string>;
  /** Asks a question on stderr. Requires a terminal. Resolves to the answer, or to an empty text after Ctrl-C or Ctrl-D. */
  readonly ask: (question: string) => Promise<string>;
  /** Resolves to true after the milliseconds, or to false as soon as Ctrl-C is pressed. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
  /** Finds the deployment (connection.ts). */
  readonly connect: (target: Target) => Promise<Deployment>;
  /** Reads the quotas of the AWS account (connection.ts). */
  readonly examinedAccount: (target: Target) => Promise<AccountFacts>;
};
