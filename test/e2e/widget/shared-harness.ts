import { startHarness } from './harness.ts';

/** The browser, the fake service and the customer's site that all parts of the suite share. Each visit opens its page anew. */
export const harness = await startHarness();
afterAll(() => harness.stop());
beforeEach(() => harness.service.reset());

/** True in the nightly run: every size of screen, every mode of the browser, and the speed of the page. */
export const full = expect.getState().testPath?.endsWith('.slow.ts') ?? false;

/** The stub that a page has for calls before the widget starts. */
export const STUB = '<script>window.vaWave||((window.vaWave=(...call)=>{vaWave.q.push(call)}).q=[])</script>';
