import { lastingFolder } from './run-folder.ts';

type Writer = (folder: string) => Promise<unknown>;
const writers: Writer[] = [];

/** Calls this when a test of this process fails. It writes into a folder that the error of the test names, and that stays after the run. */
export function atFailedTest(write: Writer): void {
  writers.push(write);
}

/** Adds the folder with what was written about a failed test to its error. */
export async function describeFailure(error: unknown): Promise<void> {
  if (writers.length === 0 || !(error instanceof Error)) return;
  const folder = lastingFolder('failed-test');
  await Promise.all(writers.map((write) => write(folder)));
  const line = `\nThe pages at this moment, and their consoles: ${folder}`;
  error.stack = error.stack?.replace(/\n {4}at |$/, (end) => `${line}${end}`);
}
