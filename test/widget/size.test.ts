import { gzipSync } from 'node:zlib';
import { bundleWidget } from '../../lib/widget-bundle.ts';

/** Loader and panel together, as a browser fetches them. */
const BUDGET_BYTES = 10 * 1024;

test('the widget fits its budget', () => {
  const { code } = bundleWidget();
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(BUDGET_BYTES);
});

test('it is one classic script without ways to run text as code or markup', () => {
  const { code } = bundleWidget();
  expect(code).not.toMatch(/\bimport\b|\bexport\b/);
  expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\.style\b/);
});

test('the immutable name changes with the content and still lets the loader find its tag', () => {
  const { immutableName, integrity } = bundleWidget();
  expect(immutableName).toMatch(/^va-wave-widget\.[0-9a-f]{16}\.js$/);
  expect(integrity).toMatch(/^sha384-[A-Za-z0-9+/]{64}$/);
});
