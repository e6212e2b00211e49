import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** Why an example cannot run here; undefined when it can. */
export type Missing = string | undefined;

/** @param probe a command that succeeds where the language, or the library, is installed */
export function missingUnless(what: string, probe: readonly [command: string, ...args: string[]]): Missing {
  const [command, ...args] = probe;
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0 ? undefined : `${what} is not installed`;
}

export function missingPackage(name: string): Missing {
  try {
    createRequire(import.meta.url).resolve(name);
    return undefined;
  } catch {
    return `the npm package ${name} is not installed`;
  }
}

/** `describe`, or where something is missing a skipped one whose reason is printed. */
export function describeWhere(missing: Missing, name: string, tests: () => void): void {
  // Not by console: jest keeps to itself what a file prints of which every test is skipped.
  if (missing !== undefined) process.stderr.write(`Skipped: ${name}, because ${missing}.\n`);
  (missing === undefined ? describe : describe.skip)(name, tests);
}
