/** True in a suite of the night: every case of a table, every size of screen, every mode of the browser, and the speed of the page. */
export const full = expect.getState().testPath?.endsWith('.night.test.ts') ?? false;

/** The cases of a table that run by day, the first ones. All of them run every night. */
export const byDay = <T>(count: number, cases: readonly T[]): readonly T[] => (full ? cases : cases.slice(0, count));
