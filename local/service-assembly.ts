import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfFiles } from '../lib/hash-of-files.ts';
import { synthesize } from './cloud/template/assembly.ts';

/** The sources of a synthesis. Whole folders are listed: an unneeded file causes a slower start, a missing file a wrong assembly. */
const SOURCES = [
  '{lib,lambdas,src,local,widget,dashboard,packages}/**/{*,.*}',
  '{cdk,package,package-lock,tsconfig}.json',
  // It tells the installed packages, which can differ from the lock file.
  'node_modules/.package-lock.json',
];
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
  return keepAssembly(parent, hashOfFiles(fileURLToPath(ROOT), SOURCES, values), (outdir) =>
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
