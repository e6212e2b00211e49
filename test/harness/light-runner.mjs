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
    const pools = new Map();
    const poolOf = (projectConfig) => {
      const count = tests.filter(({ context }) => context.config === projectConfig).length;
      const size = Math.min(count, globalConfig.maxWorkers);
      const settings = { filename: WORKER.href, runtime: 'child_process', minThreads: size, maxThreads: size };
      const seed = globalConfig.randomize ? { TEST_ORDER_SEED: String(globalConfig.seed) } : {};
      if (!pools.has(projectConfig))
        pools.set(projectConfig, new Tinypool({ ...settings, env: { ...process.env, ...seed } }));
      return pools.get(projectConfig);
    };
    const waiting = [...tests];
    const work = async () => {
      for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
        await onStart(test);
        const { config: projectConfig } = test.context;
        const channel = channelWith({ globalConfig, projectConfig, runtime: 'child_process' });
        try {
          await onResult(test, await poolOf(projectConfig).run(test.path, { channel }));
        } catch (error) {
          await onFailure(test, error);
        }
      }
    };
    await Promise.all(Array.from({ length: globalConfig.maxWorkers }, work));
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }
}
