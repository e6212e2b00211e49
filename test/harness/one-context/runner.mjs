import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';

const require = createRequire(import.meta.url);

/**
 * A jest runner that lets Node import the suite. Jest itself would compile every module again for each suite, which takes a third of the
 * CPU time of a run.
 */
export default async function run(globalConfig, config, environment, runtime, path, sendMessage) {
  Object.assign(runtime, {
    // The part of jest that keeps the tests of a suite is loaded anew, without what the suite before it has left.
    requireInternalModule: (module) => {
      delete require.cache[module];
      delete globalThis[Symbol.for('EVENT_HANDLERS')];
      return require(module);
    },
    setGlobalsForRuntime: () => {},
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (suite) => import(pathToFileURL(suite).href),
  });
  return circus.default(globalConfig, config, environment, runtime, path, sendMessage);
}
