import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE, bundleWidget, dashboardFolder, functionFolder, NOTICES, widgetFolder } from '../../lib/bundles.ts';
import { FUNCTIONS } from '../../src/deployment/outputs.ts';

// Builds `dist`: the construct of lib/ as one CommonJS module, which every CDK app can load, its declarations, and everything that it deploys.
// npm runs it before it packs. The same sources give the same bytes.
process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });

for (const name of FUNCTIONS) cpSync(functionFolder(name), `dist/functions/${name}`, { recursive: true });
const widget = bundleWidget();
// What `bundleWidget` of src/bundles.ts returns. The texts are files of dist/widget.
write('widget.json', JSON.stringify({ ...widget, texts: undefined }));
cpSync(widgetFolder(widget), 'dist/widget', { recursive: true });
cpSync(dashboardFolder(), 'dist/dashboard', { recursive: true });
cpSync(NOTICES, 'dist/THIRD-PARTY-NOTICES.md');
cpSync('../../LICENSE', 'dist/LICENSE');
for (const page of globSync('*.md', { cwd: '../../docs' })) cpSync(`../../docs/${page}`, `dist/docs/${page}`);

const CONSTRUCT = 'lib/va-wave.ts';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
await build({
  entryPoints: [join('../..', CONSTRUCT)],
  outfile: 'dist/index.js',
  bundle: true,
  platform: 'node',
  // The oldest Node with which an app can load the construct (package.json, engines).
  target: 'node20',
  format: 'cjs',
  // Node prints the line that throws, and a refusal of props is to be read.
  minify: false,
  // esbuild writes the path of each module into a comment. Without this, that of a linked package names a folder of this machine.
  preserveSymlinks: true,
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  // The package reads what is built here (src/bundles.ts) instead of building it (lib/bundles.ts).
  alias: { '#bundles': join(import.meta.dirname, 'src/bundles.ts') },
  external: ['aws-cdk-lib', 'constructs'],
  logLevel: 'warning',
});
// The package is of type "module" for this script, and index.js is CommonJS.
write('package.json', '{"type":"commonjs"}\n');
await build({
  ...BUNDLE,
  entryPoints: [{ in: '../../cli/packaged.mjs', out: 'va-wave' }],
  outdir: 'dist/cli',
  outExtension: { '.js': '.mjs' },
  splitting: true,
  // The oldest Node on which the command line runs.
  target: 'node22.19',
  logLevel: 'warning',
});

// tsc writes the declarations of all modules into dist/all (tsconfig.json). Those of the construct and of what they import are copied. They import
// with .js, for which every resolver finds them.
execFileSync('tsc', { stdio: 'inherit' });
const neededFiles = new Set([CONSTRUCT]);
for (const file of neededFiles) {
  const declaration = file.replace(/\.ts$/, '.d.ts');
  const text = readFileSync(join('dist/all', declaration), 'utf8');
  for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) neededFiles.add(join(dirname(file), path));
  if (/import\("\./.test(text)) throw new Error(`${declaration} imports a file in a type, which is not copied`);
  write(declaration, text.replace(/(from '\.[^']+)\.ts'/g, "$1.js'"));
}
rmSync('dist/all', { recursive: true });
// npm packs the modes of files too, and `npm start` caches the pages for its user alone.
for (const file of globSync('dist/**/*', { withFileTypes: true })) {
  if (file.isFile()) chmodSync(join(file.parentPath, file.name), 0o644);
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join('dist', path)), { recursive: true });
  writeFileSync(join('dist', path), content);
}
