import { readFileSync } from 'node:fs';
import { withPictures, withTable } from '../../scripts/import-rules/documents.ts';
import { readRepository } from '../../scripts/import-rules/repository.ts';
import { FOLDER_RULES } from '../../scripts/import-rules/rules.ts';

const sources = readRepository('.');

test('docs/development.md shows the import rules (node scripts/import-rules.ts --write)', () => {
  const text = readFileSync('docs/development.md', 'utf8');
  expect(withTable(text)).toBe(text);
  expect(withTable(text.replace('| `src/domain` |', '| `src/another` |'))).toBe(text);
});

test('docs/architecture.md shows the imports of the code (node scripts/import-rules.ts --write)', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(withPictures(text, sources)).toBe(text);
  expect(withPictures(text.replace('lambdas____ --> src_domain', 'src_domain --> lambdas____'), sources)).toBe(text);
});

test('every import rule covers at least one file', () => {
  const empty = FOLDER_RULES.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replace('*', '[^/]+')}/`);
    return !sources.some((source) => pattern.test(source.path));
  });
  expect(empty.map(({ path }) => path)).toEqual([]);
});
