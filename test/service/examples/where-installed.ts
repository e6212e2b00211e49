/** The reason why an example cannot run on this machine. Undefined when it can run. */
export type Missing = string | undefined;

/** Calls `describe`. When something is missing, it prints the reason and skips the tests. */
export function describeWhere(missing: Missing, name: string, tests: () => void): void {
  // `console` does not work here: jest does not show the console output of a file whose tests are all skipped.
  if (missing !== undefined) process.stderr.write(`Skipped: ${name}, because ${missing}.\n`);
  (missing === undefined ? describe : describe.skip)(name, tests);
}
