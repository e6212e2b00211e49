import { readFileSync } from 'node:fs';
import { withPictures, withTable } from '../../scripts/rooms/documents.ts';
import { readRepository } from '../../scripts/rooms/repository.ts';
import { ROOMS } from '../../scripts/rooms/rules.ts';

const sources = readRepository('.');

test("CONTRIBUTING.md's table is what the import rules say (node scripts/rooms.ts --write)", () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  expect(withTable(text)).toBe(text);
  expect(withTable(text.replace('| `src/domain` |', '| `src/another` |'))).toBe(text);
});

test('the pictures of imports in docs/architecture.md are drawn from the code (node scripts/rooms.ts --write)', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(withPictures(text, sources)).toBe(text);
  expect(withPictures(text.replace('lambdas____ --> src_domain', 'src_domain --> lambdas____'), sources)).toBe(text);
});

test('every room has files', () => {
  const empty = ROOMS.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replace('*', '[^/]+')}/`);
    return !sources.some((source) => pattern.test(source.path));
  });
  expect(empty.map(({ path }) => path)).toEqual([]);
});
