import type { Import, Source } from './imports.ts';
import { impurities } from './purity.ts';
import { LAYERED, ROOMS, type Room } from './rules.ts';

/** A room, and the folder that is this room: for `lambdas/*`, that of one function. */
export type Home = { readonly room: Room; readonly folder: string };

/** The room of a file; undefined when it lies in none, as what stands at the top does. */
export function homeOf(path: string): Home | undefined {
  const homes = ROOMS.flatMap((room) => {
    const pattern = room.path.split('/');
    const parts = path.split('/').slice(0, -1);
    const fits = pattern.length <= parts.length && pattern.every((name, at) => name === '*' || name === parts[at]);
    return fits ? [{ room, folder: parts.slice(0, pattern.length).join('/') }] : [];
  });
  return homes.sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** Every place at which a file takes what its room may not take, as `file:line what is wrong`. */
export function brokenRules(sources: readonly Source[]): readonly string[] {
  return [...sources.flatMap(brokenIn), ...circles(sources)];
}

function brokenIn(source: Source): readonly string[] {
  const home = homeOf(source.path);
  // A file at the top is a tool's configuration.
  if (home === undefined) return source.path.includes('/') ? [`${source.path}:1 lies in no room`] : [];
  const wrongImports = source.imports.flatMap((one) => {
    const problem = refusal(one, home);
    return problem === undefined ? [] : [`${source.path}:${one.line} ${home.folder} may not import ${problem}`];
  });
  const impure = home.room.isPure ? impurities(source) : [];
  return [
    ...wrongImports,
    ...impure.map(({ line, what }) => `${source.path}:${line} ${home.folder} may not use ${what}: pass it in`),
  ];
}

function refusal(one: Import, { room, folder }: Home): string | undefined {
  if (one.kind === 'computed') return room.importsComputed ? undefined : 'what is computed when it runs';
  const target = one.target ?? '';
  if (one.kind === 'url') return target;
  if (one.kind === 'file') return fileRefusal(target, one, room, folder);
  if (!allows(room.packages ?? [], target)) return target;
  const names = room.names?.[target];
  const refused = one.isType || names === undefined ? [] : one.names.filter((name) => !names.includes(name));
  return refused.length === 0 ? undefined : `${refused.join(', ')} of ${target}`;
}

function fileRefusal(target: string, one: Import, room: Room, folder: string): string | undefined {
  const other = homeOf(target);
  if (other === undefined) return target;
  if (other.folder === folder || allows(room.rooms ?? [], other.room.path)) return undefined;
  if (!room.typesOf?.includes(other.room.path)) return target;
  return one.isType ? undefined : `more than types of ${target}`;
}

function allows(list: readonly string[], target: string): boolean {
  return list.some((entry) => {
    if (entry === 'node:*') return target.startsWith('node:') && target !== 'node:module';
    return entry.endsWith('*') ? target.startsWith(entry.slice(0, -1)) : entry === target;
  });
}

/** An arrow from one folder to another, types included. */
export type Arrow = { readonly from: string; readonly to: string; readonly onlyTypes: boolean };

/** The imports between folders, one arrow for each pair; `folderOf` says where a file belongs, or undefined. */
export function arrowsBetween(
  sources: readonly Source[],
  folderOf: (path: string) => string | undefined,
): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const { path, imports } of sources) {
    for (const { kind, target, isType } of imports) {
      const from = folderOf(path);
      const to = kind === 'file' && target !== undefined ? folderOf(target) : undefined;
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} ${to}`;
      arrows.set(key, { from, to, onlyTypes: isType && (arrows.get(key)?.onlyTypes ?? true) });
    }
  }
  return [...arrows.keys()].sort().flatMap((key) => arrows.get(key) ?? []);
}

/** The folder directly under `parent` in which a file lies. */
export function folderUnder(parent: string): (path: string) => string | undefined {
  return (path) => {
    const [name, more] = path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).split('/') : [];
    return more === undefined ? undefined : name;
  };
}

function circles(sources: readonly Source[]): readonly string[] {
  return LAYERED.flatMap((parent) => {
    const arrows = arrowsBetween(sources, folderUnder(parent));
    const upward = arrows.filter(({ from, to }) => reaches(arrows, to, from));
    return upward.map(({ from, to }) => `${parent}/${from} and ${parent}/${to} import each other, if not directly`);
  });
}

function reaches(arrows: readonly Arrow[], from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return arrows.some((arrow) => arrow.from === from && reaches(arrows, arrow.to, to, seen));
}
