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

/** @param outdir absolute @param strict leaves the bundles as deployed: they refuse loopback @throws CloudError */
export function assembleService(outdir: string, { strict = false } = {}): Promise<void> {
  return synthesize(new URL('./service-app.ts', import.meta.url), new URL('cdk.json', ROOT), outdir, { strict });
}

/** Synthesizes into a folder in `parent`, unless one of the same sources, packages and version of Node is there. @returns the folder */
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

/** Makes the assembly of this hash unless it is there, and deletes the others. What `make` throws is thrown, and leaves no assembly. */
export async function keepAssembly(parent: string, hash: string, make: (outdir: string) => Promise<void>) {
  const folder = join(parent, `assembly-${hash}`);
  if (existsSync(folder)) return folder;
  for (const other of readdirSync(parent)) {
    if (other.startsWith('assembly')) rmSync(join(parent, other), { recursive: true });
  }
  await make(`${folder}.new`);
  renameSync(`${folder}.new`, folder);
  return folder;
}
