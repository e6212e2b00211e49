import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { oncePerRun } from '../../../harness/run-folder.ts';
import { npm } from '../receiver/packed-receiver.ts';

/** Packs the package once per run. @returns the path of the tarball */
export async function packedCdk(): Promise<string> {
  const folder = await oncePerRun('cdk-package', async (made) =>
    packCdk(resolve(import.meta.dirname, '../../../..'), made),
  );
  const [name = ''] = globSync('*.tgz', { cwd: folder });
  return join(folder, name);
}

/** Packs the package of a repository into a folder. */
export function packCdk(root: string, folder: string): void {
  npm(`npm pack ./packages/cdk --pack-destination "${folder}"`, root);
}

/** The Node 20 or 22 of this machine, beside the newer one that runs the tests. */
export const OLDER_NODE = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .find(
    (path) =>
      existsSync(path) && /^v(?:20|22\.(?:\d|1[0-8]))\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' })),
  );
