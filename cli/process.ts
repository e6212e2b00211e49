import type { accountState } from '../src/adapters/aws-account.ts';
import type { Deployment } from './deployment.ts';

/** Where `npm start` writes its ready file, seen from the folder of the clone. */
export const DEFAULT_READY_FILE = '.local/ready.json';
/** The stack that `bin/app.ts` deploys without -c stackName. */
export const DEFAULT_STACK = 'VaWave';

/** The deployment that the commands use. `stack` is the name of its stack, or `<stack>/<construct>` in an app that has more in it. */
export type Target = {
  /** Ready file of the one-machine service; empty for the default file. */
  readonly local?: string;
  readonly stack?: string;
  readonly region?: string;
  /** Tables to use instead of the stack's, such as restored ones before they are deployed. */
  readonly configurationTable?: string;
  readonly conversationsTable?: string;
};

/** Asks the operator for the code of an MFA device. @param device its serial number or ARN */
export type MfaCode = (device: string) => Promise<string>;
/** Facts about an AWS account before the first deployment. A fact is undefined when it could not be read, or does not exist. */
export type AccountState = Awaited<ReturnType<typeof accountState>>;

/** The functions and values that the command line needs from its process. Tests provide their own. */
export type CliProcess = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether stdin and stderr are a terminal, so that the operator can read a question and answer it. */
  readonly terminal: boolean;
  /** Width of stdout when it is a terminal. */
  readonly columns: number | undefined;
  readonly colour: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @throws Error the error of the file system */
  readonly readFile: (path: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
  /** Writes many lines to stdout, as fast as its reader takes them. @throws Error that of the lines */
  readonly writeLines: (lines: AsyncIterable<string>) => Promise<void>;
  /** Asks a question on stderr. Requires a terminal. Resolves to the answer, or to an empty text after Ctrl-C or Ctrl-D. */
  readonly ask: (question: string) => Promise<string>;
  /** Resolves to true after the milliseconds, or to false as soon as Ctrl-C is pressed. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
  readonly connect: (target: Target, mfaCode: MfaCode) => Promise<Deployment>;
  /** Reads the state of the AWS account (connection.ts). @param toolkit name of the stack of `cdk bootstrap` */
  readonly accountState: (target: Target, toolkit: string, mfaCode: MfaCode) => Promise<AccountState>;
};
