import { readFileSync } from 'node:fs';
import { apiReference } from '../../scripts/api-reference.ts';

test('docs/api.md is generated from the current docs/openapi.json (node scripts/api-reference.ts)', () => {
  const page = readFileSync('docs/api.md', 'utf8');
  const openApi = readFileSync('docs/openapi.json', 'utf8');
  expect(apiReference(page, openApi)).toBe(page);
  expect(apiReference(page.replaceAll('| 429 |', '| 430 |'), openApi)).toBe(page);
});
