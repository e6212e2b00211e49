import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { dependencies, engines } = z
  .object({ dependencies: z.record(z.string(), z.string()), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));

/** Replaces another module in the bundles of functions (lib/bundles.ts). */
const FUNCTION_CREDENTIALS = 'src/adapters/function-credentials.ts';

/** Returns the packages that the functions and the command line load when they run, without those imported only for types. */
async function loadedPackages(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [...globSync('lambdas/*/handler.ts', { cwd: root }), 'cli/main.ts', FUNCTION_CREDENTIALS],
    absWorkingDir: root,
    outdir: 'unwritten',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const packages = imported
    .filter((path) => !isBuiltin(path))
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(packages)].sort();
}

test('package.json lists as dependencies exactly what the functions and the command line load', async () => {
  expect(await loadedPackages()).toEqual(Object.keys(dependencies).sort());
});

test('the documents name the Node version of package.json', () => {
  const needed = engines.node.replace('>=', '');
  for (const path of ['README.md', 'docs/getting-started.md']) {
    expect(readFileSync(`${root}${path}`, 'utf8')).toContain(`Node ${needed} or newer`);
  }
});
