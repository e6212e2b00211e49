import everything from './jest.config.mjs';

/** What starts the local cloud, a DynamoDB engine, a browser or several processes. */
export default { ...everything, roots: ['<rootDir>/test/e2e'] };
