import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

export type WidgetBundle = {
  /** One classic script. */
  readonly code: string;
  /** File name for ever: it changes with the content, and contains `va-wave-widget`, by which the loader finds its tag. */
  readonly immutableName: string;
  /** For the `integrity` attribute of a tag that names the immutable file. */
  readonly integrity: string;
};

/** Bundles the loader and the panel into what browsers are served. */
export function bundleWidget(): WidgetBundle {
  const result = buildSync({
    entryPoints: [fileURLToPath(new URL('../widget/va-wave-widget.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    minify: true,
    charset: 'utf8',
    target: 'es2022',
    write: false,
    legalComments: 'none',
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error('esbuild wrote no widget');
  const hash = (algorithm: string) => createHash(algorithm).update(file.contents);
  return {
    code: file.text,
    immutableName: `va-wave-widget.${hash('sha256').digest('hex').slice(0, 16)}.js`,
    integrity: `sha384-${hash('sha384').digest('base64')}`,
  };
}
