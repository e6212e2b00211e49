import { arrowsBetween, folderUnder, homeOf } from './broken-rules.ts';
import type { Source } from './imports.ts';

/** Folders that the pictures omit, because they may import almost everything or have a build of their own. */
const NOT_DRAWN = ['test', 'test/fakes', 'bench', 'scripts', 'dashboard', 'packages/receiver'];

const PICTURES = /(\n## Imports between folders\n).*?(?=\n## |$)/s;

/** Returns the text of docs/architecture.md with the import diagrams generated from the code. */
export function withPictures(text: string, sources: readonly Source[]): string {
  return text.replace(PICTURES, (_, head: string) => `${head}${pictures(sources)}`);
}

function pictures(sources: readonly Source[]): string {
  return `
\`node scripts/import-rules.ts --write\` generates these diagrams from the imports in the code. A dotted arrow means that only types are imported. \`bench\`,
\`scripts\` and \`test\` are omitted. [\`rules.ts\`](../scripts/import-rules/rules.ts) lists what each folder may import.

${picture(sources, drawnFolder)}

The folders of \`src/domain\`. No two of them import each other:

${picture(sources, folderUnder('src/domain'))}
`;
}

function drawnFolder(path: string): string | undefined {
  const rule = homeOf(path)?.rule.path;
  return rule === undefined || NOT_DRAWN.includes(rule) ? undefined : rule;
}

function picture(sources: readonly Source[], folderOf: (path: string) => string | undefined): string {
  const folders = [...new Set(sources.flatMap(({ path }) => folderOf(path) ?? []))].sort();
  const id = (folder: string) => folder.replace(/\W/g, '_');
  return [
    '```mermaid',
    'flowchart TD',
    ...folders.map((folder) => `  ${id(folder)}["${folder}"]`),
    ...arrowsBetween(sources, folderOf).map(
      ({ from, to, onlyTypes }) => `  ${id(from)} ${onlyTypes ? '-.->' : '-->'} ${id(to)}`,
    ),
    '```',
  ].join('\n');
}
