import { dirname, relative, sep } from 'node:path';
import Tinypool from 'tinypool';

/** What runs a file in a process of tests. */
const WORKER = new URL('light-worker.mjs', import.meta.url);

/** Answers the first question of a process of tests, which is for its configuration. Each test file has a channel of its own: one for all processes loses answers. */
function channelWith(workerData) {
  let answer;
  return {
    onMessage: (listener) => {
      answer = listener;
    },
    postMessage: () => answer({ type: 'jest-light-runner-worker-data', workerData }),
  };
}

/** Returns the folder whose files load and start much the same, such as `test/service/lib`. */
const folderOf = ({ path, context }) =>
  relative(context.config.rootDir, dirname(path)).split(sep).slice(0, 3).join(sep);

/**
 * How many processes share a folder from the beginning, and never more: where a service and a browser take as long as several of its
 * tests. Of another folder, one process begins, and more help at the end.
 */
const PROCESSES = { 'test/browser/dashboard': 2, 'test/browser/widget': 1 };

/**
 * Takes the next file for a process out of those that wait: one of a folder that the process has begun, since it has the modules and what
 * they start; otherwise one of a folder that too few processes have begun, and at the end one of any that takes another process.
 * @param ownFolders those that the process has begun
 * @param begun how many processes have begun each folder
 */
function takeNext(waiting, ownFolders, begun) {
  const countOf = (test) => begun.get(folderOf(test)) ?? 0;
  const next = [
    (test) => ownFolders.has(folderOf(test)),
    (test) => countOf(test) < (PROCESSES[folderOf(test)] ?? 1),
    (test) => !(folderOf(test) in PROCESSES),
  ]
    .map((fits) => waiting.findIndex(fits))
    .find((index) => index >= 0);
  if (next === undefined) return;
  const [test] = waiting.splice(next, 1);
  if (!ownFolders.has(folderOf(test))) begun.set(folderOf(test), countOf(test) + 1);
  ownFolders.add(folderOf(test));
  return test;
}

/**
 * Runs files of tests without a VM context, in processes that stay until the last one. The runner that jest-light-runner brings along gives
 * all its processes one channel, where the answer for one that is still starting is lost, and the run hangs.
 */
export default class LightRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const globalConfig = this.#globalConfig;
    const seed = globalConfig.randomize ? { TEST_ORDER_SEED: String(globalConfig.seed) } : {};
    const settings = { filename: WORKER.href, runtime: 'child_process', minThreads: 1, maxThreads: 1 };
    const waiting = [...tests];
    const begun = new Map();
    const work = async () => {
      const pool = new Tinypool({ ...settings, env: { ...process.env, ...seed } });
      const ownFolders = new Set();
      // Without a file for this process, it ends: those that have begun the last folders take their files.
      for (let test = takeNext(waiting, ownFolders, begun); test; test = takeNext(waiting, ownFolders, begun)) {
        await onStart(test);
        const channel = channelWith({ globalConfig, projectConfig: test.context.config, runtime: 'child_process' });
        try {
          await onResult(test, await pool.run(test.path, { channel }));
        } catch (error) {
          await onFailure(test, error);
        }
      }
      await pool.destroy();
    };
    await Promise.all(Array.from({ length: Math.min(globalConfig.maxWorkers, tests.length) }, work));
  }
}
