import { relative } from 'node:path';
import TestSequencer from '@jest/test-sequencer';
import { placeOf } from './seeded-order.ts';

/**
 * Folders of suites, the slowest first: the browsers, the deployed bundles, the schedules, what synthesizes alone while one suite makes
 * the assembly for the others, services. A suite of many parts is a small file, which jest would start last.
 */
const SLOWEST = [
  ...['test/browser/dashboard/', 'test/service/events/', 'test/browser/widget/', 'test/unit/schedules/'],
  ...['test/service/lib/', 'test/service/', ''],
];

/**
 * Starts the slowest suites first, so that no processor is idle at the end of a run while the last of them runs alone. Jest itself knows
 * only the durations of an earlier run, which are absent after a clone.
 */
export default class SlowestFirst extends TestSequencer {
  #globalConfig;

  constructor(options) {
    super(options);
    this.#globalConfig = options.globalConfig;
  }

  sort(tests) {
    const { randomize, seed } = this.#globalConfig;
    if (randomize) return tests.toSorted((one, other) => placeOf(seed, one.path) - placeOf(seed, other.path));
    const rank = ({ path, context }) =>
      SLOWEST.findIndex((folder) => relative(context.config.rootDir, path).startsWith(folder));
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
