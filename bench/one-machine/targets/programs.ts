import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that a program may take until it is ready. */
const START_MS = 60_000;

export type Program = {
  readonly pid: number;
  /** Ends the program with SIGTERM, and with SIGKILL after 10 seconds. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts a program in the folder and waits until it is ready. Its output goes to `<name>.log` there.
 * @param isReady is called every 100 milliseconds
 * @throws Error with the end of the log when the program ends, or is not ready within a minute
 */
export async function startProgram(
  name: string,
  command: readonly [file: string, ...args: string[]],
  folder: string,
  isReady: () => Promise<boolean>,
  options: Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid'> = {},
): Promise<Program> {
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'w');
  const [file, ...args] = command;
  const child = spawn(file, args, { cwd: folder, ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  const failure = (what: string) => new Error(`${name} ${what}:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => true);
  const end = Date.now() + START_MS;
  while (!(await isReady().catch(() => false))) {
    if (await Promise.race([ended, pause(100, false)])) throw failure('ended');
    if (Date.now() > end) {
      await stop(child);
      throw failure('is not ready after a minute');
    }
  }
  return { pid: child.pid ?? 0, stop: () => stop(child) };
}

/**
 * Collects the programs that belong together. `await using` stops them when the function ends, unless it has called `keep`.
 */
export function runningPrograms() {
  const stack = new AsyncDisposableStack();
  const pids: number[] = [];
  return {
    /** Waits for the start of a program and adds it. */
    add: async <Started extends Program>(start: Promise<Started>): Promise<Started> => {
      const program = await start;
      stack.defer(program.stop);
      pids.push(program.pid);
      return program;
    },
    /** Leaves the programs running. The result stops them, the last one first. */
    keep: () => {
      const kept = stack.move();
      return { pids, stop: () => kept.disposeAsync() };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
}

/** Runs a program to its end. @throws Error with its output when it fails */
export function runProgram(
  command: readonly [file: string, ...args: string[]],
  options: Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid'> = {},
): string {
  const [file, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(file, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? stderr + stdout}`);
  return stdout;
}

/** Finds a TCP port that is free on 127.0.0.1 at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1');
  return address.port;
}

/** Creates a folder inside another one and returns its path. */
export function subfolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}
