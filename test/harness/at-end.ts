/** What runs in this process for several files of tests, until the run ends. */
const closers: (() => unknown)[] = [];

/** Ends something that several files of tests share, such as a browser. Each process of tests has its own. */
export function atEndOfRun(close: () => unknown): void {
  closers.push(close);
}

/** Ends everything, in the process of the runner: jest calls it as its teardown when the tests run there. */
export default async function endAll(): Promise<void> {
  await Promise.all(closers.splice(0).map(async (close) => close()));
}

// The runner ends a process of tests by this signal, and kills it a second later. What runs beside it ends with `exit` at the latest.
process.once('SIGTERM', async () => {
  setTimeout(() => process.exit(), 700);
  await endAll();
  process.exit();
});
