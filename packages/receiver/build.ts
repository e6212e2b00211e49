import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Builds the package's `esm/` and `cjs/` folders from `src/`, each with declarations that its module system resolves.
 * Usage: `node build.ts [directory]`. The default directory is `dist`.
 */
const here = import.meta.dirname;
const out = resolve(process.argv[2] ?? join(here, 'dist'));
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(out, { recursive: true, force: true });
for (const format of ['esm', 'cjs'] as const) {
  await build({
    entryPoints: [join(here, 'src/index.ts')],
    outfile: join(out, format, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node18',
    format,
    logLevel: 'warning',
  });
}
execFileSync(
  process.execPath,
  [join(typescript, 'bin/tsc'), '--project', join(here, 'tsconfig.build.json'), '--outDir', join(out, 'esm')],
  { stdio: 'inherit' },
);
// Declarations keep the source's `.ts` specifiers, which some resolvers do not accept.
for (const name of readdirSync(join(out, 'esm')).filter((file) => file.endsWith('.d.ts'))) {
  const file = join(out, 'esm', name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
cpSync(join(out, 'esm'), join(out, 'cjs'), { recursive: true, filter: (path) => !path.endsWith('.js') });
writeFileSync(join(out, 'esm/package.json'), '{"type":"module"}\n');
writeFileSync(join(out, 'cjs/package.json'), '{"type":"commonjs"}\n');
