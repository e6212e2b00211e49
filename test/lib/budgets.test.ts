import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHandler } from '../../lib/function-code.ts';
import { BUDGETS } from './budgets.ts';

const lambdas = fileURLToPath(new URL('../../lambdas/', import.meta.url));
const names = readdirSync(lambdas);
const folder = mkdtempSync(join(tmpdir(), 'va-wave-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every function has a budget, and every budget its function', () => {
  expect(Object.keys(BUDGETS).sort()).toEqual([...names].sort());
});

test.each(names)('%s stays within its budget', (name) => {
  const file = join(folder, `${name}.mjs`);
  bundleHandler(`${lambdas}${name}/handler.ts`, file);
  const { size } = statSync(file);
  expect(size).toBeLessThanOrEqual(BUDGETS[name] ?? 0);
  // A budget that is far too large holds nobody to anything.
  expect(size).toBeGreaterThan(0.9 * (BUDGETS[name] ?? 0));
});
