import { runCommandLine } from '../../../cli/program.ts';

type CommandLineWorld = Parameters<typeof runCommandLine>[1];

/** Runs a command with --json in this process, without a terminal, and keeps what it prints. */
export async function capturedRun(
  words: readonly string[],
  connect: CommandLineWorld['connect'],
  pause: CommandLineWorld['pause'] = async () => false,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = '';
  let err = '';
  const code = await runCommandLine([...words, '--json'], {
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    terminal: false,
    colour: false,
    environment: {},
    readFile: async () => '',
    writeFile: async () => {},
    readStdin: async () => '',
    ask: async () => '',
    pause,
    examinedAccount: async () => {
      throw new Error('Nobody asks an account');
    },
    connect,
  });
  return { code, out, err };
}
