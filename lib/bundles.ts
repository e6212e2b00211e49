import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync, transformSync } from 'esbuild';
import * as z from 'zod';
import { FUNCTIONS, type FunctionName } from '../src/deployment/outputs.ts';
import { hashOfFiles } from './hash-of-files.ts';

/** What esbuild and Vite make for the construct. `@va-wave/cdk` has the results and a bundles.ts of its own instead. */

const root = fileURLToPath(new URL('../', import.meta.url));
const lambdas = join(root, 'lambdas/');
/** Path of the licenses of third parties whose software the bundles contain. */
export const NOTICES: string = join(root, 'THIRD-PARTY-NOTICES.md');
/** Where the pages are that alarms name, unless the operator says where they are published. */
export const PAGES = 'docs';

export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).version;

/** Replaces the SDK's search for credentials: a function reads them from the environment only, where Lambda provides them. */
const FUNCTION_CREDENTIALS = {
  // As a URL, which knip follows.
  '@aws-sdk/credential-provider-node': fileURLToPath(
    new URL('../src/adapters/function-credentials.ts', import.meta.url),
  ),
};

/** A single ES module that contains everything except Node's own modules. */
export const BUNDLE = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  // Paths decide about names in a bundle. They are the same where packages are linked.
  preserveSymlinks: true,
  // Names are kept, because engineers read stack traces in the log and there is no source map.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none', // The folder of a function has the licenses in another file.
  // Some dependencies are CommonJS modules and call require() for Node's own modules.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
} satisfies BuildOptions;

/**
 * The bundles of this process, which each construct of a function asks for by its name. They are made for the first one, in one folder,
 * and `replacements` are in all of them or in none: paths of modules, by the names of those in whose place they are bundled.
 */
const bundles: { replacements: Readonly<Record<string, string>>; folder?: string } = { replacements: {} };

/**
 * Replaces modules in all bundles: `#network-rule`, `#aws-transport`. Only the one-machine service and its tests call it: a deployment has no
 * replacements, and the package `@va-wave/cdk` has its bundles already and none of this file.
 * @throws Error after the first bundle was asked for
 */
export function replaceModules(modules: Readonly<Record<string, string>>): void {
  if (bundles.folder !== undefined) throw new Error('The bundles are made: modules are replaced before the synthesis');
  bundles.replacements = modules;
}

/** Everything that changes the bundles of functions. The lock file contains the versions of the packages and of esbuild. */
const FUNCTION_SOURCES = ['{lambdas,local,src}/**/*.ts', 'lib/bundles.ts', 'package{,-lock}.json', basename(NOTICES)];

/**
 * Returns the folder with the bundle of a function and the licenses of what it contains, which no code reads. The bundle is made in this process:
 * NodejsFunction starts a process per function, which takes three times as long. As the dashboard, the bundles are cached.
 */
export function functionFolder(name: FunctionName): string {
  const hash = () => hashOfFiles(root, FUNCTION_SOURCES, [JSON.stringify(bundles.replacements)]);
  bundles.folder ??= cachedFolder(join(root, 'node_modules/.cache/va-wave-functions', hash()), bundleFunctions);
  return join(bundles.folder, name);
}

/** One build for all functions parses each module once and takes half the time of one build per function. */
function bundleFunctions(folder: string): void {
  const { outputFiles } = buildSync({
    ...BUNDLE,
    // A bundle names its modules from this folder, and the cache is shared by all that ask for it.
    absWorkingDir: root,
    entryPoints: FUNCTIONS.map((name) => ({ in: `${lambdas}${name}/handler.ts`, out: name })),
    alias: { ...FUNCTION_CREDENTIALS, ...bundles.replacements },
    outdir: lambdas,
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    const own = join(folder, basename(path, '.js'));
    mkdirSync(own);
    writeFileSync(join(own, 'index.mjs'), contents);
    copyFileSync(NOTICES, join(own, basename(NOTICES)));
  }
}

const widget = join(root, 'widget');
const widgetCache = join(root, 'node_modules/.cache/va-wave-widget');
const WIDGET_SOURCES = ['widget/**/*.{css,ts,json}', 'src/contract/**/*.ts', 'lib/bundles.ts', 'package-lock.json'];

export function bundleWidget(): ReturnType<typeof buildWidget> {
  const folder = cachedFolder(join(widgetCache, hashOfFiles(root, WIDGET_SOURCES)), (made) => {
    const built = buildWidget();
    writeFileSync(join(made, 'widget.json'), JSON.stringify({ ...built, texts: [...built.texts] }));
  });
  const { texts, ...built } = JSON.parse(readFileSync(join(folder, 'widget.json'), 'utf8'));
  return { ...built, texts: new Map(texts) };
}

/** The loader has the English texts and the hash of an index of the other languages' files, so it does not grow with each language. */
function buildWidget() {
  const texts = new Map<string, string>(); // By file name, with the hash that browsers check.
  const addTexts = (name: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    texts.set(`va-wave-texts.${name}.${hash}.json`, content);
    return hash;
  };
  const hashes: Record<string, string> = {};
  for (const file of globSync('texts/*.json', { cwd: widget }).sort()) {
    const language = basename(file, '.json');
    if (language === 'en') continue;
    hashes[language] = addTexts(language, JSON.stringify(JSON.parse(readFileSync(join(widget, file), 'utf8'))));
  }
  const index = addTexts('index', JSON.stringify(hashes));
  const css = readFileSync(join(widget, 'styles.css'), 'utf8');
  const minifiedCss = transformSync(css, { loader: 'css', minify: true, charset: 'utf8' }).code.trim();
  // esbuild keeps the space before the value of a custom property, and before the fallback of var().
  const sheet = minifiedCss.replace(/(--[\w-]+[:,]) /g, '$1');
  const result = buildSync({
    entryPoints: [join(widget, 'va-wave-widget.ts')],
    bundle: true,
    format: 'iife',
    minify: true,
    charset: 'utf8',
    target: 'es2022',
    write: false,
    legalComments: 'none',
    define: { STYLE_SHEET: JSON.stringify(sheet), TEXT_INDEX: JSON.stringify(index) },
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error('esbuild wrote no widget');
  const code = file.text.trim();
  const hash = (algorithm: string) => createHash(algorithm).update(code);
  return {
    code,
    /** File name that changes with the content. It contains `va-wave-widget`, by which the loader finds its script tag. */
    immutableName: `va-wave-widget.${hash('sha256').digest('hex').slice(0, 16)}.js`,
    integrity: `sha384-${hash('sha384').digest('base64')}`,
    texts,
    /** The type declarations of `vaWave` for pages in TypeScript. */
    types: readFileSync(join(widget, 'va-wave.d.ts'), 'utf8'),
  };
}

/** Folder of the files whose names change with their content: the loader and its texts. */
export function widgetFolder({ immutableName, code, texts }: ReturnType<typeof bundleWidget>): string {
  return cachedFolder(join(widgetCache, immutableName), (folder) => {
    for (const [name, content] of [...texts, [immutableName, code] as const])
      writeFileSync(join(folder, name), content);
  });
}

const dashboardCache = join(root, 'node_modules/.cache/va-wave-dashboard');
/** Everything that changes the page, whose help has the documents and whose preview has the widget. The lock file contains the versions of Vite and React. */
const SOURCES = [
  'dashboard/**/*.{css,js,ts,tsx,html,svg,json}',
  'docs/*.md',
  'src/contract/**/*.ts',
  'widget/**/*.{css,ts,json}',
  'package-lock.json',
];

/** Builds `page/` and `assets/`. Vite takes seconds, so a build is cached under the hash of its sources. */
export function dashboardFolder(): string {
  return cachedFolder(join(dashboardCache, hashOfFiles(root, SOURCES)), (folder) =>
    execFileSync(process.execPath, [join(root, 'dashboard/build.ts'), folder], {
      cwd: root,
      // React and Vite build for development under any other value.
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

/**
 * Builds a folder once, also when several processes ask at the same time. None of them sees an incomplete folder.
 * @param folder has in its name the hash of everything that determines its files
 * @param build writes the files into the empty folder that it gets. What it throws is thrown, and the next call builds again
 */
export function cachedFolder(folder: string, build: (folder: string) => void): string {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const own = mkdtempSync(`${folder}.build-`);
  try {
    build(own);
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Another process may have finished first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
