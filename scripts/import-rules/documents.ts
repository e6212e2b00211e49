import { arrowsBetween, folderUnder, homeOf } from './broken-rules.ts';
import type { Source } from './imports.ts';
import { FOLDER_RULES, type FolderRule } from './rules.ts';

/** Folders that the pictures omit, because they may import almost everything or have a build of their own. */
const NOT_DRAWN = ['test', 'test/fakes', 'bench', 'scripts', 'dashboard', 'packages/receiver'];

const TABLE = /(\n\| Folder \| Contents \| May import \|\n).*?(?=\n\n)/s;
const PICTURES = /(\n## Imports between folders\n).*?(?=\n## )/s;

/** Returns the text of docs/development.md with the table of folders generated from the rules. */
export function withTable(text: string): string {
  return text.replace(TABLE, (_, head: string) => `${head}${table()}`);
}

function table(): string {
  return [
    '| --- | --- | --- |',
    ...FOLDER_RULES.map((rule) => `| \`${rule.path}\` | ${rule.purpose} | ${mayImport(rule)} |`),
  ].join('\n');
}

function mayImport({ folders = [], typesOf = [], packages = [], names, importsComputed }: FolderRule): string {
  const code = (name: string) => `\`${name}\``;
  const all = [
    ...folders.map((path) => (path === '*' ? 'every folder' : code(path))),
    ...typesOf.map((path) => `types of ${code(path)}`),
    ...packages.map((name) => {
      const some = names?.[name]?.map(code).join(' ');
      return name === '*' ? 'every package' : `${code(name)}${some === undefined ? '' : ` (only ${some})`}`;
    }),
    ...(importsComputed ? ['modules whose names it computes'] : []),
  ];
  return all.length === 0 ? 'nothing' : all.join(', ');
}

/** Returns the text of docs/architecture.md with the import diagrams generated from the code. */
export function withPictures(text: string, sources: readonly Source[]): string {
  return text.replace(PICTURES, (_, head: string) => `${head}${pictures(sources)}`);
}

function pictures(sources: readonly Source[]): string {
  return `
\`node scripts/import-rules.ts --write\` generates these diagrams from the imports in the code. A dotted arrow means that only types are imported. \`bench\`,
\`scripts\` and \`test\` are omitted. [Working on the code](development.md#folders) lists what each folder may import.

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
