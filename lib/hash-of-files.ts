import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @param patterns globs of files below `root`; one that matches no file is ignored @returns hex digits */
export function hashOfFiles(root: string, patterns: readonly string[], values: readonly string[] = []): string {
  const hash = createHash('sha256').update(JSON.stringify(values));
  for (const file of globSync(patterns, { cwd: root }).sort()) {
    if (statSync(join(root, file)).isDirectory()) continue;
    const content = readFileSync(join(root, file));
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
