import { readFileSync } from 'node:fs';
import { apiReference } from '../../scripts/api-reference.ts';

test('docs/api.md is generated from the current docs/openapi.json (node scripts/api-reference.ts)', () => {
  expect(readFileSync('docs/api.md', 'utf8')).toBe(apiReference(readFileSync('docs/openapi.json', 'utf8')));
});
