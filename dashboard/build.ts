import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Builds the page: `node dashboard/build.ts <folder>` fills `<folder>/page` and `<folder>/assets`. */

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
    // Nothing inline: the page's policy allows files of its own origin and no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

// Hashed names may be cached for good, everything else must not be: two folders for two deployments.
const page = join(out, 'page');
mkdirSync(page);
for (const name of readdirSync(out)) {
  if (name !== 'assets' && name !== 'page') renameSync(join(out, name), join(page, name));
}
