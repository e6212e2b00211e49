import { availableParallelism } from 'node:os';

/** What both projects have. Node strips the types, so the tests run the same source from which the functions are bundled. */
const every = {
  rootDir: import.meta.dirname,
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/harness/strip-types.mjs' },
};

export default {
  projects: [
    { ...every, displayName: 'unit', roots: ['<rootDir>/test'], testPathIgnorePatterns: ['<rootDir>/test/e2e/'] },
    // These suites start the local cloud, a DynamoDB engine, a browser or several processes.
    { ...every, displayName: 'e2e', roots: ['<rootDir>/test/e2e'] },
  ],
  // Two suites for each core: a third of the time, a suite waits for a deadline, a queue or a browser. By itself, jest would leave one core free.
  maxWorkers: availableParallelism() * 2,
  testSequencer: '<rootDir>/test/harness/slowest-first.mjs',
  // No test asserts its own speed. A synthesis, a service or a browser may share the machine with another job.
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/harness/set-up.ts',
  // The second reporter fails a run in which a function logged a secret, and the third prints the CPU time of the run.
  reporters: ['default', '<rootDir>/test/harness/logs/reporter.ts', '<rootDir>/test/harness/cpu-time.ts'],
};
