import { globSync, readFileSync } from 'node:fs';

/** A Markdown file of the repository. */
export type Document = { readonly path: string; readonly text: string };

/** Every document that somebody may read, by its path from the repository's root. */
export function allDocuments(): readonly Document[] {
  return globSync(['*.md', '{docs,examples,packages,bench}/**/*.md'], {
    exclude: (path) => path.includes('node_modules'),
  })
    .sort()
    .map(readDocument);
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(path, 'utf8') };
}

const FENCE = /^( *)(```+)([^\n`]*)\n([\s\S]*?)^\1\2[ \t]*$/gm;

/** The text of fenced code blocks. */
export function codeBlocks({ text }: Document): readonly { readonly language: string; readonly code: string }[] {
  return [...text.matchAll(FENCE)].map(([, , , language = '', code = '']) => ({ language: language.trim(), code }));
}

/** What stands between the code blocks. */
export function prose({ text }: Document): string {
  return text.replace(FENCE, '');
}

export function inlineCode(document: Document): readonly string[] {
  return [...prose(document).matchAll(/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/g)].map(([, , code = '']) => code.trim());
}

/** Everything that is set as code, in blocks and in lines. */
export function allCode(document: Document): readonly string[] {
  return [...codeBlocks(document).map(({ code }) => code), ...inlineCode(document)];
}

/** Targets of links and pictures. */
export function links(document: Document): readonly string[] {
  const text = prose(document).replace(/`[^`\n]+`/g, '`code`');
  return [
    ...[...text.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target = '']) => target),
    ...[...text.matchAll(/<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(([, target = '']) => target),
  ];
}

/** The anchors of a document's headings, as GitHub makes them. */
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

/** The cells of the rows of the table whose head is given; none when there is no such table. */
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
