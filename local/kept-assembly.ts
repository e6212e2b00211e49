import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from './cloud/cloud-error.ts';
import { writeFileAtomically } from './cloud/state/atomic-file.ts';

/** Stands in the folder of an assembly that is complete, and holds the hash of what it was made of. */
const MARKER = 'made-of.txt';

/**
 * Leaves the assembly in a folder as it is while it would become the same, and else makes it anew.
 * @param outdir absolute; nothing else may live there
 * @param hash of everything that the assembly depends on, as it is now
 * @throws what `make` throws; the folder then holds no assembly
 */
export async function keepAssembly(
  outdir: string,
  hash: () => string,
  make: (outdir: string) => Promise<void>,
): Promise<void> {
  const wanted = hash();
  const marker = join(outdir, MARKER);
  if (textOf(marker) === wanted && existsSync(join(outdir, 'manifest.json'))) return;
  // Otherwise the bundles of every former version would stay there for good.
  rmSync(outdir, { recursive: true, force: true });
  await make(outdir);
  // Somebody who saves a file meanwhile has an assembly of neither the old sources nor the new.
  if (hash() === wanted) writeFileAtomically(marker, wanted);
}

/**
 * A hash of files by name and content, and of the values beside them.
 * @param sources files below `root`, and folders, of which every file counts; what is not there counts as nothing
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

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
