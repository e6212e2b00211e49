import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COLLECTION, collect } from './collected.ts';
import { leaksIn, redacted } from './leaks.ts';

/**
 * A jest reporter that checks every line that functions logged in a run, in all workers and child processes. It fails the run when a
 * line contains a secret, a token, a signature or a payload.
 */
export default class LogReporter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'va-wave-logs-'));
  readonly #file = join(this.#folder, 'lines');
  #error: Error | undefined;

  constructor() {
    writeFileSync(this.#file, '');
    // Workers and their child processes inherit the variable. They may still log after the last test.
    process.env[COLLECTION] = this.#file;
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
    // Log lines that no test captures (test/unit/lambdas/invocation.ts) arrive on these streams, also from the workers.
    for (const stream of [process.stdout, process.stderr]) collectWritten(stream);
  }

  async onRunComplete(): Promise<void> {
    const found = new Set<string>();
    let lines = 0;
    for await (const line of createInterface({ input: createReadStream(this.#file), crlfDelay: Infinity })) {
      lines++;
      for (const leak of leaksIn(line)) found.add(`${leak}: ${redacted(line)}`);
    }
    if (found.size === 0) {
      process.stderr.write(`Logs:        ${lines} lines, none with a secret, a token, a signature or a payload\n`);
      return;
    }
    this.#error = new Error(`The log holds\n${[...found].map((one) => `  ${one}`).join('\n')}`);
    process.stderr.write(`${this.#error.message}\n`);
  }

  /** Returns the error with which the run fails. Jest calls this at the end. */
  getLastError(): Error | undefined {
    return this.#error;
  }
}

function collectWritten(stream: NodeJS.WriteStream): void {
  const write: (chunk: string | Uint8Array, ...rest: never[]) => boolean = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const lines = String(typeof chunk === 'string' ? chunk : Buffer.from(chunk)).split('\n');
    collect(lines.filter((line) => line.startsWith('{"')).join('\n'));
    return write(chunk, ...rest);
  };
}
