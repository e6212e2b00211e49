import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../../local/cloud/listener.ts';
import { until } from '../../harness/until.ts';

export type Command = { readonly command: string; readonly args: readonly string[]; readonly cwd: string };

/** At its first use, Go compiles its standard library, which takes two thirds of the time without optimizations. */
export const GO_BUILD = ['build', '-gcflags=all=-N -l', '-o', 'receiver', '.'];

export type RunningExample = Awaited<ReturnType<typeof startExample>>;

/** Starts an example on a free port of this machine, and resolves when it accepts connections. */
export async function startExample({ command, args, cwd }: Command, environment: Readonly<Record<string, string>>) {
  // The test chooses the port, because not every example can print the port that it got.
  const port = await freePort();
  const env = { ...process.env, ...environment, PORT: String(port) };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  child.once('exit', () => {
    ended = true;
  });
  await until(async () => ended || (await accepts(port)));
  if (ended) throw new Error(`${command} ${args.join(' ')} did not start:\n${output}`);
  return {
    port,
    /** Returns what the example has printed. */
    output: () => output,
    /** Waits until the output after position `from` matches the pattern `count` times. @returns that output */
    printed: async (pattern: RegExp, count: number, from: number) => {
      await until(() => output.slice(from).split(pattern).length > count);
      return output.slice(from);
    },
    stop: async () => {
      if (ended) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}
