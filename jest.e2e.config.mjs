import everything from './jest.config.mjs';

/** Runs the tests that start the local cloud, a DynamoDB engine, a browser or several processes. */
export default { ...everything, roots: ['<rootDir>/test/e2e'] };
