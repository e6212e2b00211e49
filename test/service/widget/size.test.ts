import { gzipSync } from 'node:zlib';
import { bundleWidget } from '../../../lib/bundles.ts';
import english from '../../../widget/texts/en.json' with { type: 'json' };

/** The size of loader and panel together, with gzip. */
const BUDGET_BYTES = 13 * 1024;

test('the widget is not larger than its budget', () => {
  const { code } = bundleWidget();
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(BUDGET_BYTES);
});

test('the widget is one classic script and never runs text as code or markup', () => {
  const { code } = bundleWidget();
  expect(code).not.toMatch(/\bimport\b|\bexport\b/);
  expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\.style\b/);
});

// Pages give these names to things of their own, and the widget would not start there, or fail later.
test('the widget makes nothing by a name that pages take', () => {
  expect(bundleWidget().code).not.toMatch(/\bnew (Event|Map|Set|Node|Text|Request|Option)\b/);
});

test('the loader reads each text by its name, as the files of the other languages and the page write it', () => {
  const { code } = bundleWidget();
  for (const [name, text] of Object.entries(english)) expect(code).toContain(`${name}:${JSON.stringify(text)}`);
});

// A new tag passes its settings to the widget that an earlier tag has started, which may be another version.
test('the settings of a tag keep their names', () => {
  const { code } = bundleWidget();
  const names = ['script', 'base', 'siteId', 'token', 'debug', 'language', 'theme', 'position'];
  for (const name of names) expect(code).toMatch(new RegExp(`[{,]${name}[:,}]`));
});

test('the immutable name contains a hash of the content and the name by which the loader finds its tag', () => {
  const { immutableName, integrity } = bundleWidget();
  expect(immutableName).toMatch(/^va-wave-widget\.[0-9a-f]{16}\.js$/);
  expect(integrity).toMatch(/^sha384-[A-Za-z0-9+/]{64}$/);
});
