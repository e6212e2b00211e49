import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Command = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
};

export type RunningExample = {
  readonly port: number;
  /** Returns what the example has printed. */
  output(): string;
  /** Waits until the output after position `from` matches the pattern `count` times, at most five seconds. @returns that output */
  printed(pattern: RegExp, times: number, from: number): Promise<string>;
  stop(): Promise<void>;
};

const STARTUP_MS = 60_000;
const PRINTING_MS = 5000;

/** Starts an example on a free port of this machine, and resolves when it accepts connections. */
export async function startExample(
  { command, args, cwd }: Command,
  environment: Readonly<Record<string, string>>,
): Promise<RunningExample> {
  const port = await freePort();
  const child = spawn(
    command,
    args.map((arg) => arg.replace('$PORT', String(port))),
    { cwd, env: { ...process.env, ...environment, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output: string[] = [];
  const fault = once(child, 'error').then(([error]) => {
    throw error;
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(String(chunk)));
  try {
    await Promise.race([untilItListens(child, port), fault]);
  } catch (error) {
    await end(child);
    throw new Error(`${command} ${args.join(' ')} did not start:\n${output.join('')}`, { cause: error });
  }
  const printed = async (pattern: RegExp, times: number, from: number) => {
    const deadline = Date.now() + PRINTING_MS;
    const since = () => output.join('').slice(from);
    while (since().split(pattern).length <= times && Date.now() < deadline) await pause(20);
    return since();
  };
  return { port, output: () => output.join(''), printed, stop: () => end(child) };
}

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + STARTUP_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (connected) return;
    await pause(20);
  }
  throw new Error('The example does not accept connections');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Returns a free port. The test chooses the port, because not every example can print the port that it got. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no port');
  return address.port;
}
