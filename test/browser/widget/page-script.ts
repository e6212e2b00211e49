import { buildSync } from 'esbuild';

/** React 18 in place of the installed version. */
export const REACT_18 = { react: 'react-18', 'react-dom': 'react-dom-18' };

const bundles = new Map<string, string>();

/**
 * Bundles a script of a page with the libraries that it imports, as a site's own build does.
 * @param code a module in TypeScript with JSX
 * @param alias packages that replace others, by the names of those
 * @returns a classic script for `files`
 */
export function pageScript(code: string, alias: Readonly<Record<string, string>> = {}): string {
  const key = JSON.stringify([code, alias]);
  const bundle = bundles.get(key) ?? bundled(code, alias);
  bundles.set(key, bundle);
  return bundle;
}

function bundled(contents: string, alias: Readonly<Record<string, string>>): string {
  const { outputFiles } = buildSync({
    stdin: { contents, loader: 'tsx', resolveDir: import.meta.dirname },
    bundle: true,
    format: 'iife',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
