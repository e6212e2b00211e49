import type { CliProcess } from '../../../cli/process.ts';
import { runCommandLine } from '../../../cli/program.ts';

/** The exit code and the output of a command. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** Runs one command in this process, without a terminal. @param own what the process has: at least the deployment */
export async function capturedRun(
  words: readonly string[],
  own: Pick<CliProcess, 'connect'> & Partial<CliProcess>,
): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await runCommandLine(words, {
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    terminal: false,
    colour: false,
    columns: undefined,
    environment: {},
    readFile: async (path) => {
      throw new Error(`ENOENT: ${path}`);
    },
    readStdin: async () => '',
    writeLines: async (lines) => {
      for await (const line of lines) out += line;
    },
    ask: async () => '',
    pause: async () => false,
    accountState: async () => {
      throw new Error('These tests have no AWS account');
    },
    ...own,
  });
  return { code, out, err };
}
