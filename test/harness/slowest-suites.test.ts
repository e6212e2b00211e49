import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SLOWEST_SUITES } from './slowest-suites.ts';

test.each(SLOWEST_SUITES)('%s is a suite', (suite) => {
  expect(existsSync(fileURLToPath(new URL(`../../${suite}`, import.meta.url)))).toBe(true);
});

test('the list names no suite twice', () => {
  expect(new Set(SLOWEST_SUITES).size).toBe(SLOWEST_SUITES.length);
});
