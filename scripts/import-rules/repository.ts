import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource, type Source } from './imports.ts';

const CODE = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'].map((ending) => `*.${ending}`);

/** Parses every source file of a git working copy, except the files that git ignores. @param root path of the working copy */
export function readRepository(root: string): readonly Source[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...CODE], {
    cwd: root,
    encoding: 'utf8',
  });
  const manifest = join(root, 'package.json');
  const { imports = {} } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  return [...new Set(files.split('\0'))]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort()
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8'), imports));
}
