import { relative } from 'node:path';
import Tinypool from 'tinypool';

/** What runs a file in a process of tests. */
const WORKER = new URL('light-worker.mjs', import.meta.url);

/**
 * How many processes the files of a folder share. What they have in common, a service and a browser, is started in each process, and takes as
 * long as several of their tests.
 */
const PROCESSES = { 'test/browser/dashboard/': 2, 'test/browser/widget/': 2 };

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
    const groupOf = ({ path, context: { config } }) =>
      Object.keys(PROCESSES).find((folder) => relative(config.rootDir, path).startsWith(folder)) ?? config.id;
    const free = new Map(
      [...Map.groupBy(tests, groupOf)].map(([group, { length }]) => [
        group,
        Math.min(length, PROCESSES[group] ?? globalConfig.maxWorkers),
      ]),
    );
    const pools = new Map();
    const poolOf = (group, size) => {
      const settings = { filename: WORKER.href, runtime: 'child_process', minThreads: size, maxThreads: size };
      const seed = globalConfig.randomize ? { TEST_ORDER_SEED: String(globalConfig.seed) } : {};
      if (!pools.has(group)) pools.set(group, new Tinypool({ ...settings, env: { ...process.env, ...seed } }));
      return pools.get(group);
    };
    const waiting = [...tests];
    const take = () => {
      const next = waiting.findIndex((test) => free.get(groupOf(test)) > 0);
      return next < 0 ? undefined : waiting.splice(next, 1)[0];
    };
    const work = async () => {
      // Without a file for a free process, this ends: what later frees one takes the next file.
      for (let test = take(); test !== undefined; test = take()) {
        const group = groupOf(test);
        const processes = free.get(group);
        const pool = poolOf(group, processes);
        free.set(group, processes - 1);
        await onStart(test);
        const { config: projectConfig } = test.context;
        const channel = channelWith({ globalConfig, projectConfig, runtime: 'child_process' });
        try {
          await onResult(test, await pool.run(test.path, { channel }));
        } catch (error) {
          await onFailure(test, error);
        }
        free.set(group, free.get(group) + 1);
      }
    };
    await Promise.all(Array.from({ length: globalConfig.maxWorkers }, work));
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }
}
