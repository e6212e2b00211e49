import everything from './jest.config.mjs';

/** Runs the tests that start no service and no browser. */
export default { ...everything, testPathIgnorePatterns: ['<rootDir>/test/e2e/'] };
