/** Node itself strips the types: what the tests run is the text that the functions are bundled from. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Started services and browsers take their time on a busy machine.
  testTimeout: 30_000,
  // The second fails a run in which a function logged what it must not.
  reporters: ['default', '<rootDir>/test/harness/logs/reporter.ts'],
  transform: { '\\.ts$': '<rootDir>/test/harness/strip-types.mjs' },
};
