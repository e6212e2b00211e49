import everything from './jest.config.mjs';

/** What starts no service and no browser. */
export default { ...everything, testPathIgnorePatterns: ['<rootDir>/test/e2e/'] };
