import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

// Builds `dist/esm` and `dist/cjs` from `src`, each with declarations that its module system resolves. npm runs it: `npm run build`.
process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });
for (const format of ['esm', 'cjs'] as const) {
  const outdir = `dist/${format}`;
  await build({
    entryPoints: ['src/index.ts'],
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format,
    logLevel: 'warning',
  });
  execFileSync('tsc', ['--project', 'tsconfig.build.json', '--outDir', outdir], { stdio: 'inherit' });
  writeFileSync(`${outdir}/package.json`, `{"type":"${format === 'esm' ? 'module' : 'commonjs'}"}\n`);
}
// Declarations keep the source's `.ts` specifiers, which some resolvers do not accept.
for (const file of globSync('dist/*/*.d.ts')) {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
