import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The environment variable with the folder of a run. Workers and their child processes inherit it. */
const RUN_FOLDER = 'VA_WAVE_TEST_RUN_FOLDER';

/** Creates the folder of a run, in which libraries and programs also leave what they do not delete, such as the CDK's assemblies. @returns a function that removes it */
export function createRunFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-run-'));
  process.env[RUN_FOLDER] = folder;
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Makes a folder once for all suites of a run: the first caller makes it, the other callers wait. Each run makes its own folder, so it
 * is never out of date.
 * @param make writes into an empty folder
 * @returns the path of the folder
 * @throws what `make` threw, to every caller
 */
export async function oncePerRun(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const run = runFolder();
  const [made, failure] = [join(run, name), join(run, `${name}.failure`)];
  if (isFirst(join(run, `${name}.claim`))) {
    const unfinished = mkdtempSync(join(run, 'unfinished-'));
    try {
      await make(unfinished);
      renameSync(unfinished, made);
    } catch (error) {
      writeFileSync(failure, error instanceof Error ? (error.stack ?? error.message) : String(error));
      throw error;
    }
  }
  while (!existsSync(made)) {
    if (existsSync(failure)) throw new Error(`Another suite could not make ${name}: ${readFileSync(failure, 'utf8')}`);
    await pause(100);
  }
  return made;
}

/** Returns true for the first caller: two processes cannot create the same folder. */
function isFirst(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch (error) {
    if (existsSync(claim)) return false;
    throw error;
  }
}

/** Returns the folder of the run. A process that runs without jest, such as a script that takes pictures, has its own. */
export function runFolder(): string {
  if (process.env[RUN_FOLDER] === undefined) process.once('exit', createRunFolder());
  return process.env[RUN_FOLDER] ?? '';
}

/** Creates a folder that outlasts the run, such as one with the picture of a failure. */
export const lastingFolder = (name: string): string => mkdtempSync(join(dirname(runFolder()), `va-wave-${name}-`));
