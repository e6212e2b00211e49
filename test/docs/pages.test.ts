import { allDocuments, type Document, readDocument, tableRows } from './documents.ts';

const READERS = tableRows(readDocument('docs/README.md'), '| Reader | Task |').map(([reader = '']) => reader);

/** The first paragraph of a page, after its title and the comment of a generated page. */
const OPENING = /^# .+\n\n(?:<!--[\s\S]*?-->\n\n)?This page is for (.+?)\.\sAfter\sreading\sit\syou\s(can|know)\s/;

/** Returns what is wrong with the beginning of a page; undefined when it names readers of the index and what they can do. */
function problemOf({ text }: Document): string | undefined {
  const [, readers] = OPENING.exec(text) ?? [];
  if (readers === undefined) return 'does not begin with "This page is for **…**. After reading it you can …"';
  const unknown = [...readers.matchAll(/\*\*([^*]+)\*\*/g)]
    .map(([, plural = '']) => plural)
    .filter((plural) => plural !== 'all readers' && !READERS.includes(plural.replace(/s$/, '')));
  if (!readers.includes('**')) return 'names no reader in bold';
  return unknown.length === 0 ? undefined : `names readers that the index does not explain: ${unknown.join(', ')}`;
}

test('every page of docs/ names its readers and what they can do after reading it', () => {
  const pages = allDocuments().filter(({ path }) => path.startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(20);
  const problems = pages.map((page) => ({ path: page.path, problem: problemOf(page) }));
  expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

test.each([
  ['# Title\n\nA sentence. This page is for **operators**. After reading it you can act.', /does not begin/],
  ['# Title\n\nThis page is for **operators**. It is long.', /does not begin/],
  ['# Title\n\nThis page is for operators. After reading it you can act.', /names no reader/],
  ['# Title\n\nThis page is for **visitors**. After reading it you can act.', /does not explain: visitors/],
])('finds the fault of %j', (text, fault) => {
  expect(problemOf({ path: 'docs/x.md', text })).toMatch(fault);
});
