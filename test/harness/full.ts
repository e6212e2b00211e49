/** True in the nightly run, in suites of browsers: every size of screen, every mode of the browser, and the speed of the page. */
export const full = expect.getState().testPath?.endsWith('.night.test.ts') ?? false;
