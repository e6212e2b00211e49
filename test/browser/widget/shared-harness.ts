import { atEndOfRun } from '../../harness/at-end.ts';
import { startHarness, type VisitOptions } from './harness.ts';
import { focused } from './page-state.ts';

/** The browser, the fake service and the customer's site that all parts of the suite share. Each visit opens its page anew. */
export const harness = await startHarness();
atEndOfRun(() => harness.stop());

/** The stub that a page has for calls before the widget starts. */
export const STUB = '<script>window.vaWave||((window.vaWave=(...call)=>{vaWave.q.push(call)}).q=[])</script>';

/** Opens a page, and moves the focus to the launcher as a keyboard does. */
export const atLauncher = async (options: VisitOptions = {}) => {
  const { page, widget } = await harness.visit({ body: '<main><h1>Shop</h1><button>Buy</button></main>' }, options);
  await widget.launcher.waitFor();
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Buy');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Help and contact');
  return { page, widget };
};
