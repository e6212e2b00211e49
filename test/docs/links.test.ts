import { existsSync, globSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { allDocuments, anchors, type Document, inlineCode, links, readDocument } from './documents.ts';

const documents = allDocuments();

/** Returns the links whose file or anchor does not exist. It does not open addresses of other sites. */
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

test('every link and anchor exists', () => {
  const broken = documents.flatMap((document) => brokenLinks(document).map((link) => `${document.path}: ${link}`));
  expect(broken).toEqual([]);
});

test('finds a broken link', () => {
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

const FOLDERS =
  /^(bench|bin|cli|dashboard|docs|examples|lambdas|lib|local|packages|scripts|src|test|widget)\/[\w./-]*$/;
const FILE_NAME = /^[\w-]+(?:\.[\w-]+)*\.ts$/;
const sourceFiles = globSync(
  '{bench,bin,cli,dashboard,examples,lambdas,lib,local,packages,scripts,src,test,widget}/**/*.ts',
  {
    exclude: (path) => path.includes('node_modules'),
  },
);
const fileNames = new Set(sourceFiles.map((path) => basename(path)));

test('every file that is named exists', () => {
  const missing = documents.flatMap((document) =>
    inlineCode(document)
      .filter((code) => (FOLDERS.test(code) ? !existsSync(code) : FILE_NAME.test(code) && !fileNames.has(code)))
      .map((code) => `${document.path}: ${code}`),
  );
  expect(missing).toEqual([]);
});
