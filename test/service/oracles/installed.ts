import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Missing, missingProgram, testWhere } from '../../harness/programs.ts';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/oracles/', import.meta.url));

type Command = readonly [program: string, ...words: string[]];
type Installed = { readonly folder: string; readonly missing: Missing };

/**
 * Installs AWS's code once, into a folder of its own in node_modules/.cache. The folder's name has the version, so that another version is installed beside it.
 * @param programMissing which program that it needs is missing
 * @param commands run in that folder, which `FOLDER` names in their words
 */
export function installed(name: string, programMissing: Missing, commands: readonly Command[]): Installed {
  const folder = join(CACHE, name);
  if (programMissing !== undefined) return { folder, missing: programMissing };
  if (existsSync(join(folder, '.installed'))) return { folder, missing: undefined };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    for (const [program, ...words] of commands) {
      execFileSync(
        program,
        words.map((word) => word.replaceAll('FOLDER', folder)),
        { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
      );
    }
    mkdirSync(join(folder, '.installed'));
    return { folder, missing: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split('\n').slice(0, 3).join(' ') : String(error);
    return { folder, missing: `${name} cannot be installed: ${reason}` };
  }
}

/** Python packages in an environment of their own. */
export const pythonPackages = (name: string, ...packages: readonly string[]): Installed =>
  installed(name, missingProgram('Python with venv'), [
    ['python3', '-m', 'venv', 'FOLDER'],
    ['bin/pip', 'install', '--quiet', ...packages],
  ]);

/** Returns `test`, which skips where AWS's code is missing. @param name of what is skipped */
export function testWithCode({ missing }: Installed, name: string): jest.It {
  // The workflow has every program: what is missing there is a failure.
  if (missing !== undefined && process.env.CI !== undefined) throw new Error(missing);
  return testWhere(missing, name);
}
