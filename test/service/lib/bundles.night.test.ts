import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedFolder } from '../../../lib/bundles.ts';
import { cloneInto } from '../../harness/clone.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

let cache: string;
let folder: string;
beforeEach(() => {
  cache = temporaryFolder();
  folder = join(cache, 'pages', 'a hash');
});

const writes = (text: string) => (made: string) => writeFileSync(join(made, 'file'), text);
const content = () => readFileSync(join(folder, 'file'), 'utf8');

test('a folder is built once', () => {
  expect(cachedFolder(folder, writes('first'))).toBe(folder);
  expect(cachedFolder(folder, writes('second'))).toBe(folder);
  expect(content()).toBe('first');
});

test('another process sees no folder until it is complete', () => {
  cachedFolder(folder, (made) => {
    writes('complete')(made);
    expect(existsSync(folder)).toBe(false);
  });
  expect(content()).toBe('complete');
});

test('the folder of a process that finishes first stays', () => {
  cachedFolder(folder, (made) => {
    cachedFolder(folder, writes('first'));
    writes('second')(made);
  });
  expect(content()).toBe('first');
  expect(readdirSync(join(cache, 'pages'))).toEqual(['a hash']);
});

test('a build that fails leaves nothing, and the next call builds again', () => {
  const fails = (made: string) => {
    writes('half')(made);
    throw new Error('Vite failed');
  };
  expect(() => cachedFolder(folder, fails)).toThrow('Vite failed');
  expect(readdirSync(join(cache, 'pages'))).toEqual([]);
  cachedFolder(folder, writes('complete'));
  expect(content()).toBe('complete');
});

/** Returns the names of the files of the dashboard, with their hashes, as a clone builds it. */
const filesOf = (clone: string, environment: NodeJS.ProcessEnv) => {
  const bundles = JSON.stringify(pathToFileURL(join(clone, 'lib/bundles.ts')).href);
  const script = `const { dashboardFolder } = await import(${bundles}); console.log(dashboardFolder());`;
  const command = ['--input-type=module', '--eval', script];
  const built = execFileSync(process.execPath, command, { cwd: clone, env: environment, encoding: 'utf8' });
  return readdirSync(join(built.trim(), 'assets'));
};

test('a clone in the folder of another project takes none of its settings', () => {
  const project = join(temporaryFolder(), "50% of Ä & B's");
  const clone = join(project, 'packages/va-wave');
  cloneInto(clone);
  const inProject = (name: string, content: string) => writeFileSync(join(project, name), content);
  inProject('package.json', '{"workspaces": ["packages/*"]}');
  inProject('postcss.config.cjs', "throw new Error('the configuration of another project');");
  expect(filesOf(clone, { ...process.env, NODE_ENV: 'development' })).toEqual(filesOf(resolve('.'), process.env));
});
