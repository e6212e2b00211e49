import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';
import { SLOWEST_SUITES } from './slowest-suites.ts';

/**
 * Starts the slowest suites first, so that no processor is idle at the end of a run while the last of them runs alone. Jest itself knows
 * only the durations of an earlier run. They are absent after a clone, and include the time for which a suite waited for another one.
 */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path, context }) => SLOWEST_SUITES.indexOf(relative(context.config.rootDir, path));
    const slowest = tests.filter((test) => rank(test) !== -1).sort((one, other) => rank(one) - rank(other));
    return [...slowest, ...super.sort(tests.filter((test) => rank(test) === -1))];
  }
}
