import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';
import { cachedFolder } from './cached-folder.ts';

export type WidgetBundle = {
  /** The source of the classic script. */
  readonly code: string;
  /** File name that changes with the content. It contains `va-wave-widget`, by which the loader finds its script tag. */
  readonly immutableName: string;
  /** Value of the `integrity` attribute for a tag that names this file. */
  readonly integrity: string;
  /** The index and the texts of each language, by file name. The names contain the hashes that browsers check. */
  readonly texts: ReadonlyMap<string, string>;
  /** The type declarations of `vaWave` for pages in TypeScript. */
  readonly types: string;
};

const widget = fileURLToPath(new URL('../widget/', import.meta.url));
const cache = fileURLToPath(new URL('../node_modules/.cache/va-wave-widget/', import.meta.url));

/**
 * Bundles the loader and the panel for browsers. The English texts are in the loader, and each other language is a file. The loader
 * contains the hash of the index, which contains the hashes of the languages: so the loader does not grow with each language.
 */
export function bundleWidget(): WidgetBundle {
  const texts = new Map<string, string>();
  /** Adds a file of texts. Returns its hash, which its name contains and browsers check. */
  const add = (name: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    texts.set(`va-wave-texts.${name}.${hash}.json`, content);
    return hash;
  };
  const hashes: Record<string, string> = {};
  for (const file of globSync('texts/*.json', { cwd: widget }).sort()) {
    const language = basename(file, '.json');
    if (language === 'en') continue;
    hashes[language] = add(language, JSON.stringify(JSON.parse(readFileSync(join(widget, file), 'utf8'))));
  }
  const index = add('index', JSON.stringify(hashes));
  const css = readFileSync(join(widget, 'styles.css'), 'utf8');
  const sheet = transformSync(css, { loader: 'css', minify: true, charset: 'utf8' }).code.trim();
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
  const hash = (algorithm: string) => createHash(algorithm).update(file.contents);
  return {
    code: file.text,
    immutableName: `va-wave-widget.${hash('sha256').digest('hex').slice(0, 16)}.js`,
    integrity: `sha384-${hash('sha384').digest('base64')}`,
    texts,
    types: readFileSync(join(widget, 'va-wave.d.ts'), 'utf8'),
  };
}

/** Folder of the files whose names change with their content: the loader and its texts. */
export function writeImmutableFiles({ immutableName, code, texts }: WidgetBundle): string {
  return cachedFolder(join(cache, immutableName), (folder) => {
    for (const [name, content] of [...texts, [immutableName, code] as const]) {
      writeFileSync(join(folder, name), content);
    }
  });
}
