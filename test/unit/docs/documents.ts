import { globSync, readFileSync } from 'node:fs';

/** A Markdown file of the repository. */
export type Document = { readonly path: string; readonly text: string };

/** A fenced code block of a document. */
export type Sample = {
  readonly path: string;
  readonly heading: string;
  readonly language: string;
  readonly code: string;
};

/** Reads every document of the repository, and none that a build of a package makes at the same time. Paths start at the repository's root. */
export function allDocuments(): readonly Document[] {
  return globSync(['*.md', '{docs,examples,packages,bench}/**/*.md'], {
    exclude: (path) => /node_modules|dist/.test(path),
  })
    .sort()
    .map(readDocument);
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(path, 'utf8') };
}

const FENCE = /^( *)(```+)([^\n`]*)\n([\s\S]*?)^\1\2[ \t]*$/gm;

/** Lists the fenced code blocks with the last heading above each, without the `#` characters. */
export function samples({ path, text }: Document): readonly Sample[] {
  const headings = [...text.replace(FENCE, (code) => ' '.repeat(code.length)).matchAll(/^#{1,6} +(.+?) *$/gm)];
  return [...text.matchAll(FENCE)].map(({ index, 3: language = '', 4: code = '' }) => {
    const [, heading = ''] = headings.findLast((candidate) => candidate.index < index) ?? [];
    return { path, heading, language: language.trim(), code };
  });
}

/** Returns the text outside of the code blocks. */
export function prose({ text }: Document): string {
  return text.replace(FENCE, '');
}

export function inlineCode(document: Document): readonly string[] {
  return [...prose(document).matchAll(/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/g)].map(([, , code = '']) => code.trim());
}

/** Returns all code, from blocks and from lines. */
export function allCode(document: Document): readonly string[] {
  return [...samples(document).map(({ code }) => code), ...inlineCode(document)];
}

/** Returns true when a text has these words, each by itself: `id` is no word of `site_id`. */
export function hasWords(text: string, words: string): boolean {
  const spaced = (one: string) => ` ${one.toLowerCase().match(/\w+/g)?.join(' ') ?? ''} `;
  return spaced(text).includes(spaced(words));
}

/** Returns the targets of links and pictures. */
export function links(document: Document): readonly string[] {
  const text = prose(document).replace(/`[^`\n]+`/g, '`code`');
  return [
    ...[...text.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target = '']) => target),
    ...[...text.matchAll(/<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(([, target = '']) => target),
  ];
}

/** Returns the anchors of a document's headings, as GitHub makes them. */
export function anchors(document: Document): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const found = new Set<string>();
  for (const [, heading = ''] of prose(document).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    found.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return found;
}

/** Returns the cells of the rows below this table head; no row when the document has no such table. */
export function tableRows({ text }: Document, head: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const start = lines.indexOf(head);
  if (start === -1) return [];
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
