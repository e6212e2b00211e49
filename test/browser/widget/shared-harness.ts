import { full } from '../../harness/full.ts';
import { startHarness } from './harness.ts';

/** The browser, the fake service and the customer's site that all parts of the suite share. Each visit opens its page anew. */
export const harness = await startHarness();
afterAll(() => harness.stop());
beforeEach(() => harness.service.reset());

/** The cases of a table that run by day, the first ones. All of them run every night. */
export const byDay = <T>(count: number, cases: readonly T[]): readonly T[] => (full ? cases : cases.slice(0, count));

/** The stub that a page has for calls before the widget starts. */
export const STUB = '<script>window.vaWave||((window.vaWave=(...call)=>{vaWave.q.push(call)}).q=[])</script>';
