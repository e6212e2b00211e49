import { readFileSync } from 'node:fs';
import { withPictures } from '../../scripts/import-rules/documents.ts';
import { readRepository } from '../../scripts/import-rules/repository.ts';
import { FOLDER_RULES } from '../../scripts/import-rules/rules.ts';
import { readDocument, tableRows } from './documents.ts';

const sources = readRepository('.');

test('docs/development.md says what each folder with an import rule contains', () => {
  const rows = tableRows(readDocument('docs/development.md'), '| Folder | Contents |');
  expect(rows.map(([folder]) => folder)).toEqual(FOLDER_RULES.map(({ path }) => `\`${path}\``));
});

test('docs/architecture.md shows the imports of the code (node scripts/import-rules.ts --write)', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(withPictures(text, sources)).toBe(text);
  const altered = text.replace('  lambdas__ --> src_domain\n', '');
  expect(altered).not.toBe(text);
  expect(withPictures(altered, sources)).toBe(text);
});

test('every import rule covers at least one file', () => {
  const empty = FOLDER_RULES.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replace('*', '[^/]+')}/`);
    return !sources.some((source) => pattern.test(source.path));
  });
  expect(empty.map(({ path }) => path)).toEqual([]);
});
