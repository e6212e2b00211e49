import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Names the folder of a run; the workers and what they start inherit it. */
const RUN_FOLDER = 'VA_WAVE_TEST_RUN_FOLDER';

/** @returns what removes the folder */
export function createRunFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-run-'));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Makes something once for all suites of a run: the first that asks makes it, the others wait. The next run makes it anew, so nothing
 * is ever out of date.
 * @param make writes it into an empty folder
 * @returns the folder
 * @throws what `make` threw, to everybody who asks
 */
export async function oncePerRun(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const run = process.env[RUN_FOLDER] ?? folderOfThisProcess();
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
    if (existsSync(failure)) throw new Error(`Another suite could not make it: ${readFileSync(failure, 'utf8')}`);
    await pause(100);
  }
  return made;
}

/** Whether nobody has claimed it before: two processes cannot make the same folder. */
function isFirst(claim: string): boolean {
  try {
    mkdirSync(claim);
    return true;
  } catch (error) {
    if (existsSync(claim)) return false;
    throw error;
  }
}

/** For what is started without jest, like the scripts that take pictures. */
function folderOfThisProcess(): string {
  process.once('exit', createRunFolder());
  return process.env[RUN_FOLDER] ?? '';
}
