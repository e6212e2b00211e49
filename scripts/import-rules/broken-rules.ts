import type { Import, Source } from './imports.ts';
import { impurities } from './purity.ts';
import { ACYCLIC, FOLDER_RULES, type FolderRule } from './rules.ts';

/** The rule that applies to a file, and the folder to which the rule applies. For `lambdas/*` it is the folder of one function. */
export type Home = { readonly rule: FolderRule; readonly folder: string };

/** Finds the rule that applies to a file. Returns undefined for a file that no rule covers, such as a file at the top level. */
export function homeOf(path: string): Home | undefined {
  const homes = FOLDER_RULES.flatMap((rule) => {
    const pattern = rule.path.split('/');
    const parts = path.split('/').slice(0, -1);
    const fits = pattern.length <= parts.length && pattern.every((name, at) => name === '*' || name === parts[at]);
    return fits ? [{ rule, folder: parts.slice(0, pattern.length).join('/') }] : [];
  });
  return homes.sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** Lists every import and expression that a rule forbids, as `file:line message`. */
export function brokenRules(sources: readonly Source[]): readonly string[] {
  return [...sources.flatMap(brokenIn), ...cycles(sources)];
}

function brokenIn(source: Source): readonly string[] {
  const home = homeOf(source.path);
  // The files at the top level configure tools.
  if (home === undefined)
    return source.path.includes('/') ? [`${source.path}:1 no import rule covers this folder`] : [];
  const wrongImports = source.imports.flatMap((one) => {
    const problem = refusal(one, home);
    return problem === undefined ? [] : [`${source.path}:${one.line} ${home.folder} may not import ${problem}`];
  });
  const impure = home.rule.isPure ? impurities(source) : [];
  return [
    ...wrongImports,
    ...impure.map(
      ({ line, what }) => `${source.path}:${line} ${home.folder} may not use ${what}: take it as an argument`,
    ),
  ];
}

function refusal(one: Import, home: Home): string | undefined {
  const { rule } = home;
  const { kind, target = '' } = one;
  if (kind === 'computed') return rule.importsComputed ? undefined : 'a module whose name is computed at run time';
  if (kind === 'url') return target;
  if (kind === 'file') return fileRefusal(target, one, home);
  if (!allows(rule.imports, target)) return target;
  const names = rule.names?.[target];
  const refused = one.isType || names === undefined ? [] : one.names.filter((name) => !allows(names, name));
  return refused.length === 0 ? undefined : `${refused.join(', ')} of ${target}`;
}

function fileRefusal(target: string, { isType }: Import, { rule, folder }: Home): string | undefined {
  const other = homeOf(target);
  if (other === undefined) return target;
  if (other.folder === folder || allows(rule.imports, other.rule.path)) return undefined;
  if (rule.typesOf !== other.rule.path) return target;
  return isType ? undefined : `more than types of ${target}`;
}

function allows(list: string, target: string): boolean {
  return list.split(/\s+/).some((entry) => {
    if (entry === 'node:*') return target.startsWith('node:') && target !== 'node:module';
    return entry === target || (entry.endsWith('*') && target.startsWith(entry.slice(0, -1)));
  });
}

/** One folder imports another, or only its types. */
export type Arrow = { readonly from: string; readonly to: string; readonly onlyTypes: boolean };

/**
 * Collects the imports between folders, one arrow for each pair.
 * @param folderOf returns the folder of a file, or undefined for a file that is left out
 */
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

/** Returns a function that finds the folder directly under `parent` that contains a file. */
export function folderUnder(parent: string): (path: string) => string | undefined {
  return (path) => {
    const [name, more] = path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).split('/') : [];
    return more === undefined ? undefined : name;
  };
}

function cycles(sources: readonly Source[]): readonly string[] {
  return ACYCLIC.flatMap((parent) => {
    const arrows = arrowsBetween(sources, folderUnder(parent));
    const upward = arrows.filter(({ from, to }) => reaches(arrows, to, from));
    return upward.map(
      ({ from, to }) => `${parent}/${from} and ${parent}/${to} import each other, directly or through other folders`,
    );
  });
}

function reaches(arrows: readonly Arrow[], from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return arrows.some((arrow) => arrow.from === from && reaches(arrows, arrow.to, to, seen));
}
