import type { connect, examinedAccount } from './connection.ts';
import type { Write } from './output.ts';

/** What the command line needs of the process around it, so that tests can give something else. */
export type CliProcess = {
  readonly stdout: Write;
  readonly stderr: Write;
  /** Somebody sits at a terminal, can read stderr and answer. */
  readonly terminal: boolean;
  /** Colours are wanted on stdout. */
  readonly colour: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @throws the file system's error */
  readonly readFile: (path: string) => Promise<string>;
  /** For its owner alone, with the folders that it needs. @throws the file system's error */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly readStdin: () => Promise<string>;
  /** Asks on stderr, only where there is a terminal. What was typed; nothing after Ctrl-C or Ctrl-D. */
  readonly ask: (question: string) => Promise<string>;
  /** Resolves to false once Ctrl-C was pressed, else to true after the milliseconds. */
  readonly pause: (milliseconds: number) => Promise<boolean>;
  readonly connect: typeof connect;
  readonly examinedAccount: typeof examinedAccount;
};
