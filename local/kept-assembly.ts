import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './cloud/state/atomic-file.ts';

/** The file in the folder of a complete assembly with the hash of the assembly's sources. */
const MARKER = 'made-of.txt';

/**
 * Makes the assembly in a folder when its sources have changed, and otherwise keeps it.
 * @param outdir absolute path of a folder that contains only the assembly
 * @param hash returns the current hash of everything that the assembly depends on
 * @throws what `make` throws; the folder then contains no assembly
 */
export async function keepAssembly(
  outdir: string,
  hash: () => string,
  make: (outdir: string) => Promise<void>,
): Promise<void> {
  const wanted = hash();
  const marker = join(outdir, MARKER);
  const isKept = existsSync(marker) && existsSync(join(outdir, 'manifest.json'));
  if (isKept && readFileSync(marker, 'utf8') === wanted) return;
  // Without this, the bundles of every earlier version would stay in the folder.
  rmSync(outdir, { recursive: true, force: true });
  await make(outdir);
  // When a source changes during the work, the assembly matches neither the old nor the new sources.
  if (hash() === wanted) writeFileAtomically(marker, wanted);
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
