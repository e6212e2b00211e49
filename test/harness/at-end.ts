/** What runs beside this process for several files of tests, until the run ends. */
const closers: (() => unknown)[] = [];

/** Ends something that several files of tests share, such as a browser. Each process of tests has its own. */
export function atEndOfRun(close: () => unknown): void {
  closers.push(close);
}

// The runner ends a process of tests by this signal, and kills it a second later. What runs beside it ends with `exit` at the latest.
process.once('SIGTERM', async () => {
  setTimeout(() => process.exit(), 700);
  await Promise.all(closers.map(async (close) => close()));
  process.exit();
});
