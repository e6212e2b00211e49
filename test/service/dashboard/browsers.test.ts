import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardFolder } from '../../../lib/bundles.ts';

/** Features without which a screen of the dashboard fails, with the first Chrome (and Edge), Firefox and Safari that have them. */
const FEATURES: readonly [string, number, number, number][] = [
  ['URL.parse(', 126, 126, 18],
  ['URL.canParse(', 120, 115, 17],
  ['.toSorted(', 110, 115, 16],
  ['.findLast(', 97, 104, 15.4],
  ['Object.groupBy(', 117, 119, 17.4],
  ['Promise.withResolvers(', 119, 121, 17.4],
  ['Promise.try(', 128, 134, 18.2],
  ['Array.fromAsync(', 121, 115, 16.4],
  ['Iterator.from(', 122, 131, 18.4],
  ['RegExp.escape(', 136, 134, 18.2],
  ['JSON.rawJSON(', 114, 135, 18.4],
  ['AbortSignal.any(', 116, 124, 17.4],
  ['.toBase64(', 140, 133, 18.2],
  [':has(', 105, 121, 15.4],
  ['light-dark(', 123, 120, 17.5],
  ['color-mix(', 111, 113, 16.2],
  ['@scope', 118, 146, 17.4],
];

test('the browsers that the documentation names have what the dashboard needs, and no older ones have', () => {
  const folder = dashboardFolder();
  const code = globSync('**/*.{js,css}', { cwd: folder })
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const needed = FEATURES.filter(([feature]) => code.includes(feature));
  expect(needed.length).toBeGreaterThan(2);
  const least = ([1, 2, 3] as const).map((browser) => Math.max(...needed.map((feature) => feature[browser])));
  const text = readFileSync(new URL('../../../docs/dashboard.md', import.meta.url), 'utf8');
  const [, chrome, firefox, safari] =
    /supports Chrome and Edge (\d+), Firefox (\d+), Safari ([\d.]+),/.exec(text) ?? [];
  expect([chrome, firefox, safari].map(Number)).toEqual(least);
});
