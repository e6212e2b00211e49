import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Missing } from '../../examples/where-installed.ts';

const run = promisify(execFile);

const releaseFile = z.object({
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Fields that later code shows in addition. The release keeps them in what it stores. */
  added_fields: z.array(z.string()),
});

export type Release = Readonly<z.infer<typeof releaseFile>> & { readonly version: string };

/** Lists the released versions, from `test/fixtures/released/<version>/release.json`. */
export function releases(): readonly Release[] {
  return globSync('test/fixtures/released/*/release.json')
    .sort()
    .map((file) => ({
      version: basename(dirname(file)),
      ...releaseFile.parse(JSON.parse(readFileSync(file, 'utf8'))),
    }));
}

/** Returns the reason why the code of a release cannot be read here, such as a clone without history. */
export function missingRelease({ version, commit }: Release): Missing {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
  return status === 0 ? undefined : `this clone does not have the commit of ${version} (run git fetch --unshallow)`;
}

/** Writes the code of a release into a new folder, and installs its packages there. This takes about half a minute. */
export async function installRelease({ commit }: Release, folder: string): Promise<void> {
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['xf', '-', '-C', folder], { input: archive });
  // npm passes its own settings to the scripts that it runs. The release must not receive those of this repository.
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  await run('npm', ['ci', '--no-progress', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: Object.fromEntries(environment),
    maxBuffer: 64 * 1024 ** 2,
  });
}
