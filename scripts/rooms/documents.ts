import { arrowsBetween, folderUnder, homeOf } from './broken-rules.ts';
import type { Source } from './imports.ts';
import { ROOMS, type Room } from './rules.ts';

/** Rooms that are not drawn: they may import nearly all, or are built on their own. */
const NOT_DRAWN = ['test', 'test/fakes', 'bench', 'scripts', 'dashboard', 'packages/receiver'];

const TABLE = /(\n\| Room \| What lives there \| May import \|\n).*?(?=\n\n)/s;
const PICTURES = /(\n## Which room imports which\n).*?(?=\n## )/s;

/** CONTRIBUTING.md with the table of rooms as the rules say it. */
export function withTable(text: string): string {
  return text.replace(TABLE, (_, head: string) => `${head}${table()}`);
}

function table(): string {
  return [
    '| --- | --- | --- |',
    ...ROOMS.map((room) => `| \`${room.path}\` | ${room.purpose} | ${mayImport(room)} |`),
  ].join('\n');
}

function mayImport({ rooms = [], typesOf = [], packages = [], names, importsComputed }: Room): string {
  const code = (name: string) => `\`${name}\``;
  const all = [
    ...rooms.map((path) => (path === '*' ? 'every room' : code(path))),
    ...typesOf.map((path) => `types of ${code(path)}`),
    ...packages.map((name) => {
      const some = names?.[name]?.map(code).join(' ');
      return name === '*' ? 'every package' : `${code(name)}${some === undefined ? '' : ` (only ${some})`}`;
    }),
    ...(importsComputed ? ['what it computes'] : []),
  ];
  return all.length === 0 ? 'nothing' : all.join(', ');
}

/** docs/architecture.md with the pictures of who imports whom, drawn from the code. */
export function withPictures(text: string, sources: readonly Source[]): string {
  return text.replace(PICTURES, (_, head: string) => `${head}${pictures(sources)}`);
}

function pictures(sources: readonly Source[]): string {
  return `
Drawn from the imports in the code by \`node scripts/rooms.ts --write\`; a dotted arrow takes types only. \`bench\`, \`scripts\` and \`test\` are left
out. What each room may import at most stands in [CONTRIBUTING](../CONTRIBUTING.md#where-things-are).

${picture(sources, roomFolder)}

The chapters of \`src/domain\`; no two import each other:

${picture(sources, folderUnder('src/domain'))}
`;
}

function roomFolder(path: string): string | undefined {
  const room = homeOf(path)?.room.path;
  return room === undefined || NOT_DRAWN.includes(room) ? undefined : room;
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
