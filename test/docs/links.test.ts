import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { allDocuments, anchors, type Document, inlineCode, links, readDocument } from './documents.ts';

const documents = allDocuments();

/** Links that lead nowhere. Addresses of other sites are not asked. */
function brokenLinks(document: Document): readonly string[] {
  return links(document).filter((link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
    if (!existsSync(path)) return true;
    if (anchor === undefined) return false;
    if (statSync(path).isDirectory() || !path.endsWith('.md')) return true;
    const target = file === '' ? document : readDocument(path);
    return !anchors(target).has(anchor);
  });
}

test('every link and anchor leads somewhere', () => {
  const broken = documents.flatMap((document) => brokenLinks(document).map((link) => `${document.path}: ${link}`));
  expect(broken).toEqual([]);
});

test('a broken link is seen', () => {
  const text =
    '# A title\n[a](none.md) [b](#a-title) [c](#another) [d](README.md#none) ![e](docs/none.png) `[f](none)`';
  expect(brokenLinks({ path: 'docs/README.md', text })).toEqual([
    'none.md',
    '#another',
    'README.md#none',
    'docs/none.png',
  ]);
});

test('every document of docs/ is in its index', () => {
  const listed = new Set(links(readDocument('docs/README.md')).map((link) => link.split('#')[0]));
  const missing = documents
    .map(({ path }) => path)
    .filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md')
    .filter((path) => !listed.has(path.slice('docs/'.length)));
  expect(missing).toEqual([]);
});

test('every file that is named exists', () => {
  const room = /^(bench|bin|cli|dashboard|docs|examples|lambdas|lib|local|packages|scripts|src|test|widget)\/[\w./-]*$/;
  const missing = documents.flatMap((document) =>
    inlineCode(document)
      .filter((code) => room.test(code) && !existsSync(code))
      .map((code) => `${document.path}: ${code}`),
  );
  expect(missing).toEqual([]);
});
