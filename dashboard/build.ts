import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { writeHelp } from './help.ts';

// Builds the dashboard: `node dashboard/build.ts <folder>` writes `<folder>/page` and `<folder>/assets`.

const [, , out] = process.argv;
if (out === undefined) throw new Error('Usage: node dashboard/build.ts <folder>');

await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  configFile: false,
  logLevel: 'error',
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2023',
    // Inlines nothing, because the page's policy allows only files of its own origin and no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

writeHelp(join(out, 'help'));

// Two folders for two deployments: browsers may cache files with hashed names without limit, and must not cache the others.
const page = join(out, 'page');
mkdirSync(page);
for (const name of readdirSync(out)) {
  if (name !== 'assets' && name !== 'page') renameSync(join(out, name), join(page, name));
}
