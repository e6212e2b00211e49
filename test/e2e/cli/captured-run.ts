import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../cli/connection.ts';
import { runCommandLine } from '../../../cli/program.ts';

type CliProcess = Parameters<typeof runCommandLine>[1];

/** Runs a command with --json in this process, without a terminal. Resolves to its exit code and its output. */
export async function capturedRun(
  words: readonly string[],
  connect: CliProcess['connect'],
  pause: CliProcess['pause'] = async () => false,
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
    columns: undefined,
    now: () => new Date(),
    environment: {},
    readFile: async () => '',
    writeLines: async (_, lines) => {
      for await (const line of lines) out += line;
    },
    readStdin: async () => '',
    ask: async () => '',
    pause,
    examinedAccount: async () => {
      throw new Error('These tests have no AWS account');
    },
    connect,
  });
  return { code, out, err };
}

/** Runs commands with --json against the service of a ready file, in this process and over one connection. Each must succeed. */
export function commandsOn(readyFile: string): <Result>(...words: readonly string[]) => Promise<Result> {
  let connected: ReturnType<typeof connect> | undefined;
  return async (...words) => {
    const connectOnce = (target: Parameters<typeof connect>[0]) => {
      connected ??= connect(target);
      return connected;
    };
    const { code, out, err } = await capturedRun(['--local', readyFile, ...words], connectOnce, (ms) =>
      sleep(ms, true),
    );
    if (code !== 0) throw new Error(`Exit code ${code}: ${err}`);
    return JSON.parse(out);
  };
}
