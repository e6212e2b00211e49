import { availableParallelism } from 'node:os';

/** A run that names a file or folder of the night, or `night`, has those alone: `npm test -- grants.night`. */
const byNight = process.argv.some(
  (argument, index, all) =>
    index > 1 && !/^-/.test(argument) && !/^(-t|--testNamePattern)$/.test(all[index - 1]) && argument.includes('night'),
);

/** What the projects have. Node strips the types, so the tests run the same source from which the functions are bundled. */
const project = (kind) => ({
  displayName: kind,
  rootDir: import.meta.dirname,
  roots: [`<rootDir>/test/${kind}`],
  testMatch: byNight ? ['**/*.night.test.ts'] : ['**/*.test.ts', '!**/*.night.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/harness/strip-types.mjs' },
});

/** Its tests share a process for each worker, with its modules and what those start, instead of a VM context and a service for each file. */
const light = (kind) => ({
  ...project(kind),
  runner: '<rootDir>/test/harness/light-runner.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/harness/each-test.ts'],
});

/** Files that have a VM context of their own: their modules keep a state, as functions do between two invocations, or set the environment, or they measure memory or move timers. */
const ALONE = {
  unit: ['{functions,lambdas,schedules}/**/*', 'cli/program'],
  service: ['adapters/outbound/connection', 'local/cloud/functions/lambda-function'],
};
const alone = (kind) => ALONE[kind].map((path) => `**/test/${kind}/${path}.test.ts`);
const together = (kind) => ({
  ...light(kind),
  testMatch: [...light(kind).testMatch, ...alone(kind).map((match) => `!${match}`)],
});

export default {
  // Unit tests start nothing; those of services start the local cloud, a DynamoDB engine or a program, and those of browsers Chromium as well.
  projects: [
    light('browser'),
    ...['service', 'unit'].flatMap((kind) => [
      together(kind),
      // Nothing of the night is alone.
      ...(byNight ? [] : [{ ...project(kind), testMatch: alone(kind) }]),
    ]),
  ],
  // Two suites for each core: a third of the time, a suite waits for a deadline, a queue or a browser. By itself, jest would leave one core free.
  maxWorkers: availableParallelism() * 2,
  // A process of many modules ends later than the half second of jest when others use all cores. One that never ends is still told.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/harness/slowest-first.mjs',
  // No test asserts its own speed. A synthesis, a service or a browser may share the machine with another job.
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/harness/set-up.ts',
  // The second reporter fails a run in which a function logged a secret, and the third prints the CPU time of the run.
  reporters: ['default', '<rootDir>/test/harness/logs/reporter.ts', '<rootDir>/test/harness/cpu-time.ts'],
};
