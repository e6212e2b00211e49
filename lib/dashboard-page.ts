import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedFolder } from './cached-folder.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const cache = join(root, 'node_modules/.cache/va-wave-dashboard');
/** Everything that changes the page. The lock file contains the versions of Vite and React. */
const SOURCES = [
  'dashboard/**/*.{css,js,ts,tsx,html,svg,json}',
  'docs/*.md',
  'src/contract/**/*.ts',
  'widget/**/*.{css,ts,json}',
  'package-lock.json',
];

/**
 * Builds the page and returns its folder, with `page/` and `assets/`. Vite takes seconds and starts processes, so a build is cached under
 * the hash of its sources. A synthesis without changes then reuses it.
 */
export function builtDashboard(): string {
  return cachedFolder(join(cache, sourceHash()), (folder) =>
    execFileSync(process.execPath, [join(root, 'dashboard/build.ts'), folder], {
      cwd: root,
      // React and Vite build for development under any other value.
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}
