import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { synthesize } from './cloud/template/assembly.ts';

/** The sources of a synthesis. Whole folders are listed: an unneeded file causes a slower start, a missing file a wrong assembly. */
const FOLDERS = ['lib', 'lambdas', 'src', 'local', 'widget', 'dashboard', 'packages'];
/** The last one tells the installed packages, which can differ from the lock file. */
const FILES = ['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json', 'node_modules/.package-lock.json'];
/** The environment variables that the CDK, Vite and React read. */
const VARIABLES = /^(?:CDK_|VITE_|NODE_ENV$)/;
const ROOT = new URL('..', import.meta.url);

/**
 * Synthesizes the service into a folder, for one or several machines to run.
 * @param outdir absolute; created if need be
 * @param strict leaves the bundles as they are deployed, which refuse endpoints on loopback
 * @throws CloudError when the app does not synthesize
 */
export function assembleService(outdir: string, { strict = false } = {}): Promise<void> {
  return synthesize(new URL('./service-app.ts', import.meta.url), new URL('cdk.json', ROOT), outdir, { strict });
}

/**
 * Synthesizes like `assembleService`, but keeps an existing assembly while the repository, its packages and the version of Node are
 * the same.
 * @param parent folder of the assembly's folder
 * @returns the assembly's folder
 */
export function keepServiceAssembled(parent: string, options: { readonly strict: boolean }): Promise<string> {
  const environment = Object.entries(process.env)
    .filter(([name]) => VARIABLES.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const values = [process.version, process.arch, JSON.stringify(options), ...environment];
  return keepAssembly(parent, hashOf(fileURLToPath(ROOT), [...FOLDERS, ...FILES], values), (outdir) =>
    assembleService(outdir, options),
  );
}

/**
 * Makes the assembly of these sources unless it is there, and deletes those of other sources.
 * @param hash of everything that the assembly depends on
 * @returns the assembly's folder
 * @throws what `make` throws; the folder then contains no assembly
 */
export async function keepAssembly(
  parent: string,
  hash: string,
  make: (outdir: string) => Promise<void>,
): Promise<string> {
  const folder = join(parent, `assembly-${hash}`);
  if (existsSync(folder)) return folder;
  for (const other of readdirSync(parent)) {
    if (other.startsWith('assembly')) rmSync(join(parent, other), { recursive: true });
  }
  await make(`${folder}.new`);
  renameSync(`${folder}.new`, folder);
  return folder;
}

/**
 * Hashes the names and contents of files, and additional values.
 * @param sources files below `root`, and folders with all their files; a missing source is ignored
 */
export function hashOf(root: string, sources: readonly string[], values: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(values));
  for (const file of sources.flatMap((source) => filesOf(root, source)).sort()) {
    const content = readFileSync(join(root, file));
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesOf(root: string, source: string): string[] {
  const entry = statSync(join(root, source), { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (entry.isFile()) return [source];
  return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .map((name) => join(source, name))
    .filter((name) => statSync(join(root, name)).isFile());
}
