import { atEndOfRun } from '../../harness/at-end.ts';
import { startTestSystem } from './test-system.ts';

/** The deployed bundles in a local cloud, which the parts of a suite share: a start takes as long as several of their tests. */
export const system = await startTestSystem();
atEndOfRun(() => system.stop());
