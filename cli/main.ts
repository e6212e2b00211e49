import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandLine } from './program.ts';

// A reader such as `head` closes the pipe when it has read enough. What a full disk has not taken is lost, also a secret.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`The output could not be written: ${message}\n`);
  process.exit(code === 'EPIPE' ? 0 : 1);
});
// The exit code says what happened, also when nobody reads the message.
process.stderr.on('error', () => {});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close the terminal without an answer.
  const noAnswer = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  terminal.on('SIGINT', () => terminal.close());
  const answer = await Promise.race([terminal.question(question), noAnswer]);
  terminal.close();
  return answer.trim();
}

const interruption = new AbortController();

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdout: (chunk) => process.stdout.write(chunk),
  stderr: (chunk) => process.stderr.write(chunk),
  terminal: process.stdin.isTTY && process.stderr.isTTY,
  columns: process.stdout.columns,
  // These are Node's rules: NO_COLOR, NODE_DISABLE_COLORS, FORCE_COLOR, and the capabilities of the terminal.
  colour: process.env.FORCE_COLOR
    ? process.env.FORCE_COLOR !== '0'
    : !process.env.NO_COLOR && process.stdout.isTTY && process.stdout.hasColors(),
  environment: process.env,
  readFile: (path) => readFile(path, 'utf8'),
  readStdin: () => text(process.stdin),
  writeLines: (lines) => pipeline(lines, process.stdout, { end: false }),
  ask,
  pause: async (milliseconds) => {
    // Until the first pause, Ctrl-C ends the process, as it does everywhere.
    if (process.listenerCount('SIGINT') === 0) process.once('SIGINT', () => interruption.abort());
    await sleep(milliseconds, undefined, { signal: interruption.signal }).catch(() => {});
    return !interruption.signal.aborted;
  },
  connect: async (...asked) => (await import('./connection.ts')).connect(...asked),
  accountState: async (...asked) => (await import('./connection.ts')).readAccountState(...asked),
});
